/* The members of libsycl's classes that its headers keep to themselves and its library exports.
 *
 * An application's kernels have types, made by the compiler of DPC++, that name them and list their
 * arguments; ours have names that are known when a scenario runs.  What public SYCL lacks for that
 * is one step below, in functions that its own templates call: taking their addresses in an
 * explicit instantiation is how the language lets anybody name a private member (ISO C++17, 17.7.2
 * "Explicit instantiation", paragraph 12).
 *
 * Observed: all of this holds for libsycl 9.0.0 (wheel intel-sycl-rt 2026.2.0); what another
 * version lacks does not compile. */
#ifndef CONFORMANCE_HOST_PROGRAM_DPCPP_PRIVATE_H
#define CONFORMANCE_HOST_PROGRAM_DPCPP_PRIVATE_H

#include <sycl/sycl.hpp>

namespace dpcpp
{

template <class Tag, typename Tag::type Member> struct opened {
    friend typename Tag::type member(Tag)
    {
        return Member;
    }
};

#define OPENED(tag, class_name, name, ...)                                                         \
    struct tag {                                                                                   \
        using type = __VA_ARGS__;                                                                  \
        friend type member(tag);                                                                   \
    };                                                                                             \
    template struct opened<tag, &class_name::name>

/* Appends an argument unchanged. After extractFreeFunctionArgsAndReqs, an accessor passed this way
 * becomes one argument, as a kernel of OpenCL C expects, and not the four of SYCL. */
OPENED(add_argument, sycl::handler, addArg,
       void (sycl::handler::*)(sycl::detail::kernel_param_kind_t, void *, int, int));
/* Sets the range, with an offset, with or without a local size. */
OPENED(set_range, sycl::handler, setNDRangeDescriptor,
       void (sycl::handler::*)(sycl::detail::nd_range_view, bool));
/* Sets the kernel, by what the program manager stores under its name. */
OPENED(set_kernel, sycl::handler, setFreeFunctionKernelInfoRT,
       void (sycl::handler::*)(sycl::detail::DeviceKernelInfo *));
/* Takes the arguments passed to set_arg. */
OPENED(take_arguments, sycl::handler, extractFreeFunctionArgsAndReqs, void (sycl::handler::*)());
/* Refuses a kernel that the handler's bundle lacks, as every launch with a type does. */
OPENED(verify_bundle, sycl::handler, verifyUsedKernelBundleInternal,
       void (sycl::handler::*)(sycl::detail::string_view));
/* Fills with a pattern of any size: memory, pattern, its bytes, count. */
OPENED(fill_memory, sycl::handler, fill_impl,
       void (sycl::handler::*)(void *, const void *, size_t, size_t));

/* memcpy of a device_global: address of the host variable, image scope, bytes, offset. The "host"
 * variants are for a variable that no image uses; the copy to it also takes its size. */
OPENED(copy_to_global, sycl::handler, memcpyToDeviceGlobal,
       void (sycl::handler::*)(const void *, const void *, bool, size_t, size_t));
OPENED(copy_from_global, sycl::handler, memcpyFromDeviceGlobal,
       void (sycl::handler::*)(void *, const void *, bool, size_t, size_t));
/* The same for a queue, for a variable that an image uses. */
OPENED(queue_copy_to_global, sycl::queue, memcpyToDeviceGlobal,
       sycl::event (sycl::queue::*)(void *, const void *, bool, size_t, size_t,
                                    const std::vector<sycl::event> &));
OPENED(queue_copy_from_global, sycl::queue, memcpyFromDeviceGlobal,
       sycl::event (sycl::queue::*)(void *, const void *, bool, size_t, size_t,
                                    const std::vector<sycl::event> &));
OPENED(copy_to_host_global, sycl::handler, memcpyToHostOnlyDeviceGlobal,
       void (sycl::handler::*)(const void *, const void *, size_t, bool, size_t, size_t));
OPENED(copy_from_host_global, sycl::handler, memcpyFromHostOnlyDeviceGlobal,
       void (sycl::handler::*)(void *, const void *, bool, size_t, size_t));

/* Specialisation constants by name. */
OPENED(has_named_constant, sycl::detail::kernel_bundle_plain, has_specialization_constant_impl,
       bool (sycl::detail::kernel_bundle_plain::*)(const char *) const noexcept);
OPENED(set_named_constant, sycl::detail::kernel_bundle_plain, set_specialization_constant_impl,
       void (sycl::detail::kernel_bundle_plain::*)(const char *, void *, size_t) noexcept);
OPENED(get_named_constant, sycl::detail::kernel_bundle_plain, get_specialization_constant_impl,
       void (sycl::detail::kernel_bundle_plain::*)(const char *, void *) const noexcept);

/* The device images of a bundle of any state. */
OPENED(first_image, sycl::detail::kernel_bundle_plain, begin,
       const sycl::detail::device_image_plain *(sycl::detail::kernel_bundle_plain::*)() const);
OPENED(last_image, sycl::detail::kernel_bundle_plain, end,
       const sycl::detail::device_image_plain *(sycl::detail::kernel_bundle_plain::*)() const);

#undef OPENED

} // namespace dpcpp

#endif
