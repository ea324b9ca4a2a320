// The builtin, the device's image and the host half have the same id for each variable, also for
// those that other translation units have too.
// variable: _Z1g 4 device
// variable: _ZN1n1gE 4 device
// variable: UID____ZL6hidden 4 device
// variable: UID____ZN12_GLOBAL__N_17unnamedE 4 device
// registers: ::g _Z1g
// registers: ::n::g _ZN1n1gE
// registers: ::hidden UID____ZL6hidden
// registers: ::__sycl_detail::__shim_0() UID____ZN12_GLOBAL__N_17unnamedE
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
constexpr bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        ++a, ++b;
    return *a == *b;
}
constexpr const char *without_prefix(const char *id)
{
    while (*id && *id != '_')
        ++id;
    return id;
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
static_assert(same(without_prefix(__builtin_sycl_unique_stable_id(hidden)), "____ZL6hidden"));
static_assert(same(without_prefix(__builtin_sycl_unique_stable_id(unnamed)),
                   "____ZN12_GLOBAL__N_17unnamedE"));
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = g + n::g + hidden + unnamed;
}
