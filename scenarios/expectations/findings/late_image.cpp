// What becomes of a copy to a device_global when an image that uses it is registered afterwards,
// without assay.
//
// DeviceGlobal.md, "Implementing the copy and memcpy functions in queue and handler": a variable
// without device_image_scope has one buffer on a device, which a copy makes if there is none yet;
// whether an image lists the variable does not matter.  So the copy from the variable gives 5.  No
// kernel runs, so the image's code is never examined.
#include <sycl/sycl.hpp>

#include "fat_binary.hpp"

#include <cstdio>
#include <sycl/detail/device_global_map.hpp>

static void register_image()
{
    static const unsigned char code[] = {3, 2, 0x23, 7};
    static const struct {
        uint64_t bits;
        uint32_t size, image_scope;
    } value = {64, sizeof(int), 0};
    static const property counter{"counter", &value, 2, sizeof value};
    static const property_set globals{"SYCL/device globals", &counter, &counter + 1};
    add({code, code + 4, "kernel", &globals, 1});
}

int main()
try {
    static sycl::ext::oneapi::experimental::device_global<int> counter;
    sycl::detail::device_global_map::add(&counter, "counter");
    sycl::queue queue;
    int five = 5, value = -1;
    queue.copy(&five, counter).wait();
    register_image();
    queue.copy(counter, &value).wait();
    std::printf("%d, must be 5\n", value);
    return value != 5;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
