// Variables with the same name in two namespaces, and variables with internal linkage.
// variable: _Z1g 4 device
// variable: _ZN1n1gE 4 device
// variable: UID____ZL6hidden 4 device
// variable: UID____ZN12_GLOBAL__N_17unnamedE 4 device
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> g;
namespace n
{
syclex::device_global<int> g;
}
static syclex::device_global<int> hidden;
namespace
{
syclex::device_global<int> unnamed;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = g + n::g + hidden + unnamed;
}
