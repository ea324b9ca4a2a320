// The type's attribute allows uses that are errors for other variables; constants need no
// attribute.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> allowed;
constexpr int constant = 4;
const int initialised = 5;
void submit(sycl::queue &queue, int *o)
{
    queue.single_task([=] { o[0] = allowed + constant + initialised; });
}
SYCL_EXTERNAL int exported()
{
    return allowed + constant + initialised;
}
