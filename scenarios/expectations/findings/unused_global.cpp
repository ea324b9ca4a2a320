// Copies from a device_global that no device image uses and prints the result, without assay.
//
// sycl_ext_oneapi_device_global, "Representation of device globals": with C++20 the variable is
// initialised on a device before the first access to it there, and a copy from it is an access; so
// the result is 42.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <sycl/detail/device_global_map.hpp>

// The host representation of C++20's device_global<int>{42}, a pointer followed by the initial
// value; g++ 12 does not compile the class's constructor.
static struct {
    void *memory;
    int initial;
} storage = {nullptr, 42};

int main()
try {
    using counter_type = sycl::ext::oneapi::experimental::device_global<int>;
    auto &counter = reinterpret_cast<counter_type &>(storage);
    sycl::detail::device_global_map::add(&storage, "counter");
    sycl::queue queue;
    int value = -1;
    queue.copy(counter, &value).wait();
    std::printf("%d, must be 42\n", value);
    return value != 42;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
