#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
using block = char[4096];
using unscoped = syclex::device_global<block>;
static_assert(sizeof(unscoped) == sizeof(block)); // refused: static assertion failed
