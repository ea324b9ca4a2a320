// A free-function kernel may also use other variables; the image then has a variable that the host
// cannot access.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
int mutable_variable;
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = mutable_variable;
}
