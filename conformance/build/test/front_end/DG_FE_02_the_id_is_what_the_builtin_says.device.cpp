// variable: _Z1g 4 device
// variable: _ZN1n1gE 4 device
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
constexpr bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        ++a, ++b;
    return *a == *b;
}
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
static_assert(same(__builtin_sycl_unique_stable_id(g), "_Z1g"));
static_assert(same(__builtin_sycl_unique_stable_id(n::g), "_ZN1n1gE"));
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = g + n::g;
}
