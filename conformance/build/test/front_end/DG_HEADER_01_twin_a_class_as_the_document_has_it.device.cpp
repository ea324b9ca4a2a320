// Twin: the test's check can fail; the document's class does not depart from the rule.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
template <class T> struct of_the_document {
    T *usmptr;
};
constexpr size_t size = sizeof(of_the_document<char[4096]>);
static_assert(size == sizeof(void *));
static_assert(size == sizeof(void *) + 4096); // refused: static assertion failed
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = 1;
}
