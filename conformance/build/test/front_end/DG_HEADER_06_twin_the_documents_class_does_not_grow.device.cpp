// Twin: the test's check can fail.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
template <class T> struct of_the_document {
    T *usmptr;
};
static_assert(sizeof(of_the_document<char[8192]>) - // refused: static assertion failed
                  sizeof(of_the_document<char[4096]>) ==
              4096);
