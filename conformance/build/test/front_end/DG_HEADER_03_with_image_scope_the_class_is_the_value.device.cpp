// With the property the class is as large as the underlying type, and its variable is the value.
// variable: _Z6scoped 4096 image
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
using image_scope = decltype(syclex::properties{syclex::device_image_scope});
using block = char[4096];
static_assert(sizeof(syclex::device_global<block, image_scope>) == sizeof(block));
syclex::device_global<block, image_scope> scoped;
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(char *o)
{
    static_assert(std::is_same_v<decltype(scoped.get()), block &>);
    o[0] = scoped.get()[7];
}
