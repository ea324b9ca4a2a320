// Device functions cannot allocate.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct base {
    int value;
};
void submit(sycl::queue &queue, base **o)
{
    queue.single_task([=] {
        o[0] = new base; // refused: SYCL kernel cannot allocate storage
    });
}
SYCL_EXTERNAL base *exported()
{
    return new base; // refused: SYCL kernel cannot allocate storage
}
