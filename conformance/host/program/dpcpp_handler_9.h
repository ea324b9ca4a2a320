/* The parts of dpcpp_handler.h that all releases of libsycl 9 have in common (wheels 2026.0.0 and
 * newer). Included once, by the file that implements the rest. */
#ifndef CONFORMANCE_HOST_PROGRAM_DPCPP_HANDLER_9_H
#define CONFORMANCE_HOST_PROGRAM_DPCPP_HANDLER_9_H

#include "conformance/host/program/dpcpp_handler.h"
#include "conformance/host/program/dpcpp_private.h"

#include <string_view>
#include <vector>

namespace dpcpp
{

OPENED(input_bundle, sycl::handler, getKernelBundle,
       sycl::kernel_bundle<sycl::bundle_state::input> (sycl::handler::*)() const);
OPENED(nd_range_set, sycl::handler, setNDRangeDescriptor,
       void (sycl::handler::*)(sycl::detail::nd_range_view, bool));
/* The parts of a lambda's submit, which the template handler::StoreLambda does in this order: keeps
 * the lambda, and sets the kernel's name, the lambda's address, the record for the name and the
 * kind of the command. */
OPENED(host_kernel_kept, sycl::handler, MHostKernel,
       std::unique_ptr<sycl::detail::HostKernelBase> sycl::handler::*);
OPENED(kernel_name, sycl::handler, MKernelName, sycl::detail::string_view sycl::handler::*);
OPENED(set_lambda, sycl::handler, setKernelFunc, void (sycl::handler::*)(void *));
OPENED(set_kernel_info, sycl::handler, setDeviceKernelInfoPtr,
       void (sycl::handler::*)(sycl::detail::DeviceKernelInfo *));
OPENED(set_command_type, sycl::handler, setType, void (sycl::handler::*)(sycl::detail::CGType));
/* The parts of parallel_for with a kernel object: sets it, and takes the arguments. */
OPENED(set_kernel_object, sycl::handler, setDeviceKernelInfo,
       void (sycl::handler::*)(sycl::kernel &&));
OPENED(take_object_arguments, sycl::handler, extractArgsAndReqs, void (sycl::handler::*)());

using kernel_description = sycl::detail::CompileTimeKernelInfoTy;

static_assert(sizeof(host_parameter) == sizeof(sycl::detail::kernel_param_desc_t),
              "modules describe a capture as libsycl's headers do");

kernel_record *record_of_lambda(const host_kernel &kernel)
{
    kernel_description description{};
    description.Name = sycl::detail::string_view(kernel.name);
    description.NumParams = kernel.parameter_count;
    description.KernelSize = static_cast<int64_t>(kernel.size);
    description.ParamDescGetter = reinterpret_cast<kernel_description::ParamDescGetterT>(
        reinterpret_cast<void (*)()>(kernel.parameter));
    description.HasSpecialCaptures = kernel.parameter_count == 0;
    for (unsigned i = 0; i < kernel.parameter_count; i++) {
        int kind = kernel.parameter(static_cast<int>(i)).kind;
        if (kind != HOST_PARAMETER_VALUE && kind != HOST_PARAMETER_POINTER)
            description.HasSpecialCaptures = true;
    }
    return &sycl::detail::getDeviceKernelInfo(description);
}

/* A lambda with the captures that a module describes. */
class lambda : public sycl::detail::HostKernelBase
{
  public:
    explicit lambda(size_t size) : captures(size / sizeof(std::max_align_t) + 1) {}
    char *getPtr() override
    {
        return reinterpret_cast<char *>(captures.data());
    }

  private:
    std::vector<std::max_align_t> captures;
};

std::unique_ptr<sycl::detail::HostKernelBase> make_lambda(size_t size)
{
    return std::make_unique<lambda>(size);
}

sycl::kernel_bundle<sycl::bundle_state::input> bundle_for_constants(sycl::handler &handler)
{
    return (handler.*member(input_bundle{}))();
}

void set_range(sycl::handler &handler, const nd_range &range)
{
    (handler.*member(nd_range_set{}))(
        sycl::detail::nd_range_view(range.global, range.open ? nullptr : range.local, range.offset,
                                    range.dimensions),
        false);
}

void set_local(sycl::handler &handler, int index, size_t size)
{
    sycl::ext::oneapi::experimental::work_group_memory<char[]> local(size, handler);
    handler.set_arg(index, local);
}

void take_kernel_object(sycl::handler &handler, sycl::kernel &&kernel)
{
    (handler.*member(set_kernel_object{}))(std::move(kernel));
    (handler.*member(take_object_arguments{}))();
}

void take_lambda(sycl::handler &handler, std::unique_ptr<sycl::detail::HostKernelBase> lambda,
                 const host_kernel &kernel, kernel_record *record)
{
    char *captures = lambda->getPtr();
    handler.*member(host_kernel_kept{}) = std::move(lambda);
    handler.*member(kernel_name{}) = sycl::detail::string_view(kernel.name);
    (handler.*member(set_lambda{}))(captures);
    (handler.*member(set_kernel_info{}))(static_cast<sycl::detail::DeviceKernelInfo *>(record));
    (handler.*member(set_command_type{}))(sycl::detail::CGType::Kernel);
}

} // namespace dpcpp

#endif
