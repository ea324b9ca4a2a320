// Device code must not use other variables, either in a kernel or in a function exported to other
// images.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
int mutable_variable;
void submit(sycl::queue &queue, int *o)
{
    queue.single_task([=] {
        o[0] = mutable_variable; // refused: SYCL kernel cannot use a non-const global variable
    });
}
SYCL_EXTERNAL int exported()
{
    return mutable_variable; // refused: SYCL kernel cannot use a non-const global variable
}
