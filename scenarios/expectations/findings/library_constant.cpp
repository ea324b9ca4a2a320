// Which program libsycl uses for a launch that sets a specialisation constant of a library, without
// assay: the images are made by hand here, from OpenCL C.
//
// SharedLibraries.md, "In-memory cache": a program is looked up by the kernel, the values of
// specialisation constants, the options and the device (DL-CACHE-02). The kernel `apply` calls f,
// which adds the constant in one image, and 4 in another. It is launched twice with the value 7,
// and the second image is registered in between: 7, then 14.
#include <sycl/sycl.hpp>

#include "fat_binary.hpp"

#include <cstdio>

namespace syclex = sycl::ext::oneapi::experimental;

CODE(apply);
CODE(stride_more);
CODE(four_more);

/* DPC++ would generate this function for the constant. */
static constexpr sycl::specialization_id<int> stride{1};
template <> const char *sycl::detail::get_spec_constant_symbolic_ID<stride>()
{
    return "stride";
}

static const struct {
    uint64_t bits;
    uint32_t id, offset, size;
} constant_value = {96, 0, 0, sizeof(int)};
static const struct {
    uint64_t bits;
    int32_t value;
} default_value = {32, 1};
static const property constant{"stride", &constant_value, 2, 20};
static const property all_defaults{"all", &default_value, 2, 12};
static const property f_symbol{"f", nullptr, 1, 1};

/* Launches by the kernel's name, as for a free-function kernel. */
static int launch(sycl::queue &queue, int *data)
{
    queue.submit([&](sycl::handler &handler) {
        handler.set_specialization_constant<stride>(7);
        handler.set_arg(0, data);
        handler.nd_launch_free_function(&sycl::detail::getDeviceKernelInfo("apply"),
                                        sycl::nd_range<1>(1, 1), syclex::empty_properties_t{});
    });
    queue.wait_and_throw();
    return data[0];
}

int main()
try {
    static const property_set imports{"SYCL/imported symbols", &f_symbol, &f_symbol + 1};
    static const property_set exports{"SYCL/exported symbols", &f_symbol, &f_symbol + 1};
    static const property_set specialised[] = {
        exports,
        {"SYCL/specialization constants", &constant, &constant + 1},
        {"SYCL/specialization constants default values", &all_defaults, &all_defaults + 1}};
    add({apply_begin, apply_end, "apply", &imports, 1});
    add({stride_more_begin, stride_more_end, "f", specialised, 3});
    sycl::queue queue;
    int *data = sycl::malloc_shared<int>(1, queue);
    data[0] = 0;
    int first = launch(queue, data);
    add({four_more_begin, four_more_end, "f", &exports, 1});
    int second = launch(queue, data);
    std::printf("%d and %d, must be 7 and 14\n", first, second);
    return first != 7 || second != 14;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 2;
}
