// Any host compiler can be used: the class has no attribute that could be unknown to it.
#pragma GCC diagnostic error "-Wattributes"
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> variable;
