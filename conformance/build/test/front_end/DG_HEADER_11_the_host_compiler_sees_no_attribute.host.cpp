// Any host compiler can be used: in host code the class has no attribute that the compiler might
// not know.
#pragma GCC diagnostic error "-Wattributes"
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> variable;
