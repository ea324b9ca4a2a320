// Twin: the test's checks can fail.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
using image_scope = decltype(syclex::properties{syclex::device_image_scope});
struct pair {
    int first;
    float second;
};
struct number : syclex::detail::device_global_base<int, image_scope> {
    constexpr bool is(int wanted) const
    {
        return val == wanted;
    }
};
struct table : syclex::detail::device_global_base<int[3], image_scope> {
    constexpr bool is(int wanted) const
    {
        return val[0] == wanted && val[2] == wanted;
    }
};
struct record : syclex::detail::device_global_base<pair, image_scope> {
    constexpr bool is(int wanted) const
    {
        return val.first == wanted && val.second == wanted;
    }
};
static_assert(number{}.is(1)); // refused: static assertion failed
static_assert(table{}.is(1));  // refused: static assertion failed
static_assert(record{}.is(1)); // refused: static assertion failed
