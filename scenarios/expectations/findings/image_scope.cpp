// What libsycl does with copies of a device_global that has device_image_scope, without assay: the
// images are made by hand here, from OpenCL C.
//
// DeviceGlobal.md, "Implementing the copy and memcpy functions in queue and handler": a copy looks
// for the program that contains the variable; if there are two, it is refused with
// errc::invalid.
//
// default (DG-SCOPE-03): the kernel of an image with a specialisation constant, which is not set,
// is launched: there is one program.  5 is copied to the variable, and the kernel reads 5.
//
// values (DG-SCOPE-05): the same image is built with the values 1 and 2, and the kernel of each
// build is launched: there are two programs, and a copy is refused.
//
// library (DG-SCOPE-09): two kernels, in separate images, import a function of an image with
// the variable, and both are launched: there are two programs, and a copy is refused.
//
// imports (DG-SCOPE-04): the image with the variable imports a function of another image.  4 is
// copied to the variable before any launch, for which a program is created in the normal way, and
// the kernel reads 10 * 4.
//
// first, last (DG-SCOPE-03): two images have a variable with the same id; the kernel `hundred` of
// the first writes 100, the kernel `two_hundred` of the second 200. Only the kernel of the first,
// or of the last, image is launched, so there is one program, and a copy reads what the kernel
// wrote.
#include <sycl/sycl.hpp>

#include "fat_binary.hpp"

#include <cstdio>
#include <cstring>
#include <sycl/detail/device_global_map.hpp>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

CODE(specialised);
CODE(library);
CODE(one);
CODE(two);
CODE(hundred);
CODE(two_hundred);
CODE(importing);
CODE(g);

/* With this property the host object is the value alone, in a class that g++ 12 accepts. */
using properties = decltype(syclex::properties{syclex::device_image_scope});
static syclex::device_global<int, properties> counter;

/* DPC++ would generate this function for the constant. */
static constexpr sycl::specialization_id<int> stride{1};
template <> const char *sycl::detail::get_spec_constant_symbolic_ID<stride>()
{
    return "stride";
}

/* ---- Images ---------------------------------------------------------------------------------- */

static const struct {
    uint64_t bits;
    uint32_t size, image_scope;
} scope_value = {64, sizeof(int), 1};
static const unsigned char name_value[] = {64,  0,   0,   0,   0,   0,   0,  0,
                                           'c', 'o', 'u', 'n', 't', 'e', 'r'};
static const property global{"counter", &scope_value, 2, sizeof scope_value};
static const property mapping{"counter@global_id_mapping", name_value, 2, sizeof name_value};
static const property next_symbol{"next", nullptr, 1, 1};
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

static void register_specialised()
{
    static const property_set sets[] = {
        {"SYCL/device globals", &global, &global + 1},
        {"SYCL/program metadata", &mapping, &mapping + 1},
        {"SYCL/specialization constants", &constant, &constant + 1},
        {"SYCL/specialization constants default values", &all_defaults, &all_defaults + 1}};
    add({specialised_begin, specialised_end, "bump", sets, 4});
}

static void register_library()
{
    static const property_set importer{"SYCL/imported symbols", &next_symbol, &next_symbol + 1};
    static const property_set sets[] = {{"SYCL/device globals", &global, &global + 1},
                                        {"SYCL/program metadata", &mapping, &mapping + 1},
                                        {"SYCL/exported symbols", &next_symbol, &next_symbol + 1}};
    add({library_begin, library_end, "next", sets, 3});
    add({one_begin, one_end, "one", &importer, 1});
    add({two_begin, two_end, "two", &importer, 1});
}

static void register_two()
{
    static const property_set sets[] = {{"SYCL/device globals", &global, &global + 1},
                                        {"SYCL/program metadata", &mapping, &mapping + 1}};
    add({hundred_begin, hundred_end, "hundred", sets, 2});
    add({two_hundred_begin, two_hundred_end, "two_hundred", sets, 2});
}

static void register_importing()
{
    static const property g_symbol{"g", nullptr, 1, 1};
    static const property_set sets[] = {{"SYCL/device globals", &global, &global + 1},
                                        {"SYCL/program metadata", &mapping, &mapping + 1},
                                        {"SYCL/imported symbols", &g_symbol, &g_symbol + 1}};
    static const property_set exporter{"SYCL/exported symbols", &g_symbol, &g_symbol + 1};
    add({importing_begin, importing_end, "scale", sets, 3});
    add({g_begin, g_end, "g", &exporter, 1});
}

/* ---- Launches and copies --------------------------------------------------------------------- */

/* Launches by the kernel's name, as for a free-function kernel: no kernel bundle is involved. */
static int launch(sycl::queue &queue, const char *name)
{
    int *data = sycl::malloc_shared<int>(1, queue);
    queue.submit([&](sycl::handler &handler) {
        handler.set_arg(0, data);
        handler.nd_launch_free_function(&sycl::detail::getDeviceKernelInfo(name),
                                        sycl::nd_range<1>(1, 1), syclex::empty_properties_t{});
    });
    queue.wait_and_throw();
    return data[0];
}

/* Builds the only kernel with the given value of the constant, and launches it. */
static int launch_with(sycl::queue &queue, int value)
{
    auto input = sycl::get_kernel_bundle<sycl::bundle_state::input>(queue.get_context(),
                                                                    {queue.get_device()});
    input.set_specialization_constant<stride>(value);
    static std::vector<sycl::kernel_bundle<sycl::bundle_state::executable>> kept;
    kept.push_back(sycl::build(input)); /* so that both programs exist when the copy is submitted */
    sycl::kernel kernel = kept.back().get_kernel(kept.back().get_kernel_ids().at(0));
    int *data = sycl::malloc_shared<int>(1, queue);
    queue.submit([&](sycl::handler &handler) {
        handler.set_arg(0, data);
        handler.parallel_for(sycl::range<1>(1), kernel);
    });
    queue.wait_and_throw();
    return data[0];
}

static int constants_default(sycl::queue &queue)
{
    const int five = 5;
    register_specialised();
    launch(queue, "bump");
    queue.copy(&five, counter).wait();
    int seen = launch(queue, "bump");
    std::printf("%d, must be 5\n", seen);
    return seen != 5;
}

/* Copies from the variable, of which there are two instances. */
static int copy_of_two(sycl::queue &queue)
try {
    int value = -1;
    queue.copy(counter, &value).wait();
    std::printf("%d, must be refused\n", value);
    return 1;
} catch (const sycl::exception &refused) {
    std::printf("refused, as it must be: %s\n", refused.what());
    return 0;
}

static int constants_values(sycl::queue &queue)
{
    register_specialised();
    launch_with(queue, 1);
    launch_with(queue, 2);
    return copy_of_two(queue);
}

static int library(sycl::queue &queue)
{
    register_library();
    launch(queue, "one");
    launch(queue, "two");
    return copy_of_two(queue);
}

static int imports(sycl::queue &queue)
{
    const int four = 4;
    register_importing();
    queue.copy(&four, counter).wait();
    int seen = launch(queue, "scale");
    std::printf("%d, must be 40\n", seen);
    return seen != 40;
}

static int one_of_two(sycl::queue &queue, const char *kernel, int must_be)
{
    int value = -1;
    register_two();
    launch(queue, kernel);
    queue.copy(counter, &value).wait();
    std::printf("%d, must be %d\n", value, must_be);
    return value != must_be;
}

int main(int count, char **words)
try {
    const char *what = count == 2 ? words[1] : "";
    sycl::detail::device_global_map::add(&counter, "counter");
    sycl::queue queue;
    if (std::strcmp(what, "default") == 0) return constants_default(queue);
    if (std::strcmp(what, "values") == 0) return constants_values(queue);
    if (std::strcmp(what, "library") == 0) return library(queue);
    if (std::strcmp(what, "imports") == 0) return imports(queue);
    if (std::strcmp(what, "first") == 0) return one_of_two(queue, "hundred", 100);
    if (std::strcmp(what, "last") == 0) return one_of_two(queue, "two_hundred", 200);
    std::printf("usage: image_scope default|values|library|imports|first|last\n");
    return 2;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
