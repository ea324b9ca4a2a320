// A copy from a device_global after one of two images that use it was unregistered, as when one of
// two libraries that share an inline variable is unloaded, without assay.
//
// DeviceGlobal.md, "Implementing the copy and memcpy functions in queue and handler": a variable
// without device_image_scope has one buffer on a device, whichever images list it. So the copy from
// the variable gives 5. No kernel runs, so the images' code is never examined.
#include <sycl/sycl.hpp>

#include "fat_binary.hpp"

#include <cstdio>
#include <sycl/detail/device_global_map.hpp>

static const descriptor *register_image(const char *kernel)
{
    static const unsigned char code[] = {3, 2, 0x23, 7};
    static const struct {
        uint64_t bits;
        uint32_t size, image_scope;
    } value = {64, sizeof(int), 0};
    static const property counter{"counter", &value, 2, sizeof value};
    static const property_set globals{"SYCL/device globals", &counter, &counter + 1};
    return add({code, code + 4, kernel, &globals, 1});
}

int main()
try {
    static sycl::ext::oneapi::experimental::device_global<int> counter;
    sycl::detail::device_global_map::add(&counter, "counter");
    register_image("first");
    const descriptor *second = register_image("second");
    sycl::queue queue;
    int five = 5, value = -1;
    queue.copy(&five, counter).wait();
    __sycl_unregister_lib(second);
    setbuf(stdout, nullptr);
    queue.copy(counter, &value).wait();
    std::printf("%d, must be 5\n", value);
    return value != 5;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
