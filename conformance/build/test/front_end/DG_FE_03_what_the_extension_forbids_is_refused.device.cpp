// sycl_ext_oneapi_device_global, "Restrictions on creating device global objects".
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
class with_private
{
    static inline syclex::device_global<int>
        g; // refused: member variable 'g' should be publicly accessible from namespace scope
};
class with_protected
{
  protected:
    static inline syclex::device_global<int>
        g; // refused: member variable 'g' should be publicly accessible from namespace scope
};
syclex::device_global<int> array[2]; // refused: 'device_global' array is not allowed
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    syclex::device_global<int>
        automatic; // refused: 'device_global' variable must be a static data member or declared in global or namespace scope
    static syclex::device_global<int>
        local; // refused: 'device_global' variable must be a static data member or declared in global or namespace scope
    o[0] = 1;
}
