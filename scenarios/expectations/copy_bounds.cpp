// The bounds check of a copy to a device_global, whose sum of offset and size may wrap, without
// assay.
//
//   venv=$(ci/setup --folder)      after ci/setup --with dpcpp
//   g++ -std=c++17 -DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING -isystem $venv/include copy_bounds.cpp
//       -L$venv/lib -lsycl -Wl,-rpath,$venv/lib -o copy_bounds
//   ci/on_intel_cpu ./copy_bounds
//
// sycl_ext_oneapi_device_global, "Add new copy and memcpy members to the queue class": a copy that
// would reach beyond the variable throws an exception with errc::invalid.
//
// Seen with libsycl 9.0.0 (wheel intel-sycl-rt 2026.2.0) over Intel's OpenCL CPU runtime
// 2026.22.10.0.01_160000:
//   17 bytes from 0: refused: Copy to device_global is out of bounds.
//   SIZE_MAX bytes from 1: nothing more; the process dies of SIGSEGV or SIGABRT, or hangs
#include <array>
#include <cstdint>
#include <cstdio>
#include <sycl/detail/device_global_map.hpp>
#include <sycl/sycl.hpp>

// The host representation of a device_global<std::array<int, 4>>, a pointer followed by the value.
static struct {
    void *memory;
    int values[4];
} storage;

int main()
{
    using variable_type = sycl::ext::oneapi::experimental::device_global<std::array<int, 4>>;
    auto &variable = reinterpret_cast<variable_type &>(storage);
    sycl::detail::device_global_map::add(&storage, "variable");
    sycl::queue queue;
    const int source[8] = {};
    const struct {
        size_t size, offset;
        const char *name;
    } copies[] = {{17, 0, "17 bytes from 0"}, {SIZE_MAX, 1, "SIZE_MAX bytes from 1"}};
    bool all_refused = true;
    for (const auto &copy : copies) {
        std::printf("%s: ", copy.name);
        std::fflush(stdout);
        try {
            queue.memcpy(variable, source, copy.size, copy.offset).wait();
            std::printf("accepted, must be refused\n");
            all_refused = false;
        } catch (const sycl::exception &refused) {
            std::printf("refused: %s\n", refused.what());
        }
    }
    return !all_refused;
}
