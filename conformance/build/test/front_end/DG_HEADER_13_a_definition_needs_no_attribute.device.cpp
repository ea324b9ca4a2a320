// Variables defined without any attribute, wherever a definition is allowed.
// variable: _ZN2ns1bE 4 device
// variable: _ZN6holder1cE 4 device
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> a;
namespace ns
{
inline syclex::device_global<int> b;
}
struct holder {
    static inline syclex::device_global<int> c;
};
void submit(sycl::queue &queue, int *o)
{
    queue.single_task([=] { o[0] = a + ns::b + holder::c; });
}
