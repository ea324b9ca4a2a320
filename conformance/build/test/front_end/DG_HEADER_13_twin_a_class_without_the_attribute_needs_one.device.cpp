// Device code may not use a variable whose class lacks the attribute, unless the class has the
// attribute that device-side asserts use.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct plain {
    int value;
};
struct [[__sycl_detail__::global_variable_allowed]] allowed {
    int value;
};
plain a;
allowed b;
void submit(sycl::queue &queue, int *o)
{
    queue.single_task([=] {
        o[0] = a.value; // refused: SYCL kernel cannot use a non-const global variable
        o[1] = b.value;
    });
}
