#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
using block = char[4096];
static_assert(sizeof(syclex::device_global<block>) ==
              sizeof(block)); // refused: static assertion failed
