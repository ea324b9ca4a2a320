// Without device_image_scope the first member is a pointer to the underlying type.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
using none = syclex::empty_properties_t;
struct probe : syclex::detail::device_global_base<char[4096], none> {
    static_assert(std::is_convertible_v<decltype(usmptr), char (*)[4096]>);
};
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct opened : syclex::detail::device_global_base<char[4096], none> {
    static constexpr size_t where()
    {
        return offsetof(opened, usmptr);
    }
};
static_assert(opened::where() == 0);
