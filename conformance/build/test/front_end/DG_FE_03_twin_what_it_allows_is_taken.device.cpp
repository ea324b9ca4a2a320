// variable: _ZN11with_public1gE 4 device
// variable: _ZN2ns1gE 8 device
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct trivial {
    int first, second;
};
class with_public
{
  public:
    static inline syclex::device_global<int> g;
};
namespace ns
{
syclex::device_global<trivial> g;
}
syclex::device_global<int[2]> of_array;
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = with_public::g + ns::g.get().second + of_array[1];
}
