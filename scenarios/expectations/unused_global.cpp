// Copies from a device_global that no device image uses and prints the result, without assay.
//
//   venv=$(ci/setup --folder)      after ci/setup --with dpcpp
//   g++ -std=c++17 -DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING -isystem $venv/include unused_global.cpp
//       -L$venv/lib -lsycl -Wl,-rpath,$venv/lib -o unused_global
//   ci/on_intel_cpu ./unused_global
//
// sycl_ext_oneapi_device_global, "Representation of device globals": with C++20 the variable is
// initialised on a device before the first access to it there, and a copy from it is an access; so
// the result is 42.
//
// Seen with libsycl 9.0.0 (wheel intel-sycl-rt 2026.2.0) over Intel's OpenCL CPU runtime
// 2026.22.10.0.01_160000: it prints "0, must be 42".
#include <cstdio>
#include <sycl/detail/device_global_map.hpp>
#include <sycl/sycl.hpp>

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
