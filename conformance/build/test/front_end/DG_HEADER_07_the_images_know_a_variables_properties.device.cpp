// Each variable carries the properties of its type: the size, by which post-link recognises a
// device_global, and device_image_scope.
// variable: _Z6scoped 12 image
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
using image_scope = decltype(syclex::properties{syclex::device_image_scope});
syclex::device_global<int[3], image_scope> scoped;
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = scoped[1];
}
