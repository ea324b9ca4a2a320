// Launches by name a kernel that no registered device image contains.
//
// SYCL 2020, "Error handling": a synchronous error is reported by throwing an exception. DPC++'s
// own message for this case is "No kernel named absent was found" (errc::runtime).
#include <sycl/sycl.hpp>

#include <cstdio>

namespace syclex = sycl::ext::oneapi::experimental;

int main()
try {
    sycl::queue queue;
    std::printf("launch: ");
    std::fflush(stdout);
    queue.submit([&](sycl::handler &handler) {
        handler.nd_launch_free_function(&sycl::detail::getDeviceKernelInfo("absent"),
                                        sycl::nd_range<1>(1, 1), syclex::empty_properties_t{});
    });
    queue.wait_and_throw();
    std::printf("accepted, must be refused\n");
    return 1;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 0;
}
