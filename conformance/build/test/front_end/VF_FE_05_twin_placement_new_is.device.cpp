// Placement new is accepted in a kernel, in a function exported to other images and in a
// free-function kernel.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct base {
    int value;
};
void submit(sycl::queue &queue, char *o)
{
    queue.single_task([=] { new (o) base; });
}
SYCL_EXTERNAL base *exported(char *o)
{
    return new (o) base;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(char *o)
{
    new (o) base;
}
