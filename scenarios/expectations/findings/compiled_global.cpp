// A virtual function that uses a device_global, compiled and linked by libsycl alone, without
// assay.
//
// sycl_ext_oneapi_device_global, "Representation of device globals": without device_image_scope
// there is one variable on a device, whichever device images refer to it. The compiler puts the
// virtual function into a separate image, and defines and exports the variable in that image and in
// the kernel's image, which does not use it. So images that must be linked cannot be linked.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

static const char source[] = R"""(
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> shared;
struct Base {
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::indirectly_callable) virtual int add(int x)
    {
        int found = shared;
        shared = found + x;
        return found;
    }
};
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void make(char *storage) { new (storage) Base; }
)""";

int main()
try {
    sycl::queue queue;
    auto bundle = syclex::create_kernel_bundle_from_source(
        queue.get_context(), syclex::source_language::sycl, std::string(source));
    std::vector<std::string> options{"-fsycl-device-code-split=auto"};
    auto object = syclex::compile(bundle, syclex::properties{syclex::build_options{options}});
    sycl::link(object);
    std::printf("linked, as it must be\n");
    return 0;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
