// The check above can fail: outside the device compilation the attributes are unknown.
#pragma GCC diagnostic error "-Wattributes"
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct [[__sycl_detail__::device_global]] mine { // refused: attribute directive ignored
    int value;
};
