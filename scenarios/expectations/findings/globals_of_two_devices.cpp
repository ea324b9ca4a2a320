// Copies to a device_global that no device image uses on one sub-device, and from it on another,
// without assay. It needs a device with two compute units.
//
// DeviceGlobal.md, "Implementing the copy and memcpy functions in queue and handler": a variable
// without device_image_scope has a buffer on each device, so the other device's value is 0; a
// variable with it that is in no image has its value in the host's object, so the other device's
// value is 3.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <sycl/detail/device_global_map.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

static syclex::device_global<int> plain;
static syclex::device_global<int, decltype(syclex::properties{syclex::device_image_scope})> scoped;

template <class Global>
static int other_value(Global &global, sycl::queue &first, sycl::queue &second)
{
    int three = 3, value = -1;
    first.copy(&three, global).wait();
    second.copy(global, &value).wait();
    return value;
}

int main()
try {
    sycl::detail::device_global_map::add(&plain, "plain");
    sycl::detail::device_global_map::add(&scoped, "scoped");
    sycl::device whole;
    auto parts =
        whole.create_sub_devices<sycl::info::partition_property::partition_by_counts>({1, 1});
    sycl::context context(parts);
    sycl::queue first(context, parts[0]), second(context, parts[1]);
    int of_plain = other_value(plain, first, second);
    int of_scoped = other_value(scoped, first, second);
    std::printf("without image scope: %d, must be 0\n", of_plain);
    std::printf("with image scope: %d, must be 3\n", of_scoped);
    return of_plain != 0 || of_scoped != 3;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
