/* dpcpp_handler.h for libsycl 9 whose handlers launch typed kernels only (wheels 2026.0.0 to
 * 2026.1.2). A launch by name is a lambda's without the lambda: the arguments come from set_arg, so
 * there are no captures to take them from. */
#include "conformance/host/program/dpcpp_handler_9.h"

namespace dpcpp
{

kernel_record *record_of_name(const std::string &name)
{
    kernel_description description{};
    description.Name = sycl::detail::string_view(name.c_str());
    return &sycl::detail::getDeviceKernelInfo(description);
}

void take_named_kernel(sycl::handler &handler, const std::string &name, kernel_record *record)
{
    handler.*member(kernel_name{}) = sycl::detail::string_view(name.c_str());
    (handler.*member(set_kernel_info{}))(static_cast<sycl::detail::DeviceKernelInfo *>(record));
    (handler.*member(set_command_type{}))(sycl::detail::CGType::Kernel);
}

} // namespace dpcpp
