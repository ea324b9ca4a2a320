// The underlying type must be trivially default constructible (before C++20), which also requires a
// trivial destructor.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct ends {
    int value;
    ~ends() {}
};
syclex::device_global<ends> variable; // refused: Type T must be trivially default constructable
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = variable.get().value;
}
