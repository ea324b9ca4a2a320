// The same in a free-function kernel is taken, and the image has a variable that no host reaches.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
int mutable_variable;
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = mutable_variable;
}
