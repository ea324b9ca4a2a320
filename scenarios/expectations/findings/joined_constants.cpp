// What libsycl does with the specialisation constants of kernel bundles that are joined, without
// assay: the image is made by hand here, from OpenCL C.
//
// SYCL 2020, 4.11.12: set_specialization_constant sets the value for the bundle, and join returns
// a new bundle with the device images of the others.  A bundle with 5 and one with 6 are made and
// joined; the kernel built from the first one adds 5 to its counter, and that of the second one 6.
#include <sycl/sycl.hpp>

#include "fat_binary.hpp"

#include <cstdio>
#include <vector>

CODE(specialised);

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

using input_bundle = sycl::kernel_bundle<sycl::bundle_state::input>;

static input_bundle with(sycl::queue &queue, int value)
{
    auto input = sycl::get_kernel_bundle<sycl::bundle_state::input>(queue.get_context(),
                                                                    {queue.get_device()});
    input.set_specialization_constant<stride>(value);
    return input;
}

/* Builds the bundle's only kernel and launches it twice: the second launch stores what the first
 * one has added to the counter, which began with 0. */
static int added(sycl::queue &queue, const input_bundle &input)
{
    auto built = sycl::build(input);
    sycl::kernel kernel = built.get_kernel(built.get_kernel_ids().at(0));
    int *data = sycl::malloc_shared<int>(1, queue);
    for (int i = 0; i < 2; i++) {
        queue.submit([&](sycl::handler &handler) {
            handler.set_arg(0, data);
            handler.parallel_for(sycl::range<1>(1), kernel);
        });
        queue.wait_and_throw();
    }
    return data[0];
}

int main()
try {
    static const property_set sets[] = {
        {"SYCL/specialization constants", &constant, &constant + 1},
        {"SYCL/specialization constants default values", &all_defaults, &all_defaults + 1}};
    add({specialised_begin, specialised_end, "bump", sets, 2});
    sycl::queue queue;
    const input_bundle five = with(queue, 5), six = with(queue, 6);
    sycl::join(std::vector<input_bundle>{five, six});
    int first = added(queue, five), second = added(queue, six);
    std::printf("%d and %d, must be 5 and 6\n", first, second);
    return first != 5 || second != 6;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 2;
}
