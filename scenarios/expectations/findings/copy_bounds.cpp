// The bounds check of a copy to a device_global, whose sum of offset and size may wrap, without
// assay.
//
// sycl_ext_oneapi_device_global, "Add new copy and memcpy members to the queue class": a copy that
// would reach beyond the variable throws an exception with errc::invalid.
#include <sycl/sycl.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <sycl/detail/device_global_map.hpp>
#include <unistd.h>

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
        alarm(10); // the copy may hang
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
