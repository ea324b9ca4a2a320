// Twin: the test's checks can fail.
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
constexpr const char *id = __builtin_sycl_unique_stable_id(n::g);
static_assert(same(id, "_Z1g"));                              // refused: static assertion failed
static_assert(same(__builtin_sycl_unique_stable_id(g), "g")); // refused: static assertion failed
