// Tests the builtin that the document suggests: its string does not depend on the translation unit,
// so every unit names a set by the same string.
// lists SYCL/virtual functions: virtual-functions-set
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
constexpr bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        ++a, ++b;
    return *a == *b;
}
struct set;
namespace n
{
struct set;
}
static_assert(same(__builtin_sycl_unique_stable_name(void), "_ZTSv"));
static_assert(same(__builtin_sycl_unique_stable_name(int), "_ZTSi"));
static_assert(same(__builtin_sycl_unique_stable_name(set), "_ZTS3set"));
static_assert(same(__builtin_sycl_unique_stable_name(n::set), "_ZTSN1n3setE"));
static_assert(same(syclex::detail::UniqueStableNameListStr<void, int>::value, "_ZTSv,_ZTSi"));
struct base {
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::indirectly_callable_in<n::set>)
    virtual int f()
    {
        return 1;
    }
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(char *o)
{
    new (o) base;
}
