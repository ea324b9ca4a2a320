// Twin: the test's checks can fail.
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
static_assert(same(__builtin_sycl_unique_stable_name(set), // refused: static assertion failed
                   __builtin_sycl_unique_stable_name(n::set)));
