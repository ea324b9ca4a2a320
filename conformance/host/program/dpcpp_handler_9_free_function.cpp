/* dpcpp_handler.h for libsycl 9 whose handlers launch free-function kernels by name (wheel 2026.2.0
 * and newer). */
#include "conformance/host/program/dpcpp_handler_9.h"

namespace dpcpp
{

/* The parts of handler::nd_launch_free_function. */
OPENED(set_kernel, sycl::handler, setFreeFunctionKernelInfoRT,
       void (sycl::handler::*)(sycl::detail::DeviceKernelInfo *));
OPENED(take_arguments, sycl::handler, extractFreeFunctionArgsAndReqs, void (sycl::handler::*)());

kernel_record *record_of_name(const std::string &name)
{
    return &sycl::detail::getDeviceKernelInfo(std::string_view(name));
}

void take_named_kernel(sycl::handler &handler, const std::string &, kernel_record *record)
{
    (handler.*member(set_kernel{}))(static_cast<sycl::detail::DeviceKernelInfo *>(record));
    (handler.*member(take_arguments{}))();
}

} // namespace dpcpp
