// Twin: the test's check can fail; a host compiler does not know the attributes.
#pragma GCC diagnostic error "-Wattributes"
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct [[__sycl_detail__::device_global]] mine { // refused: attribute directive ignored
    int value;
};
