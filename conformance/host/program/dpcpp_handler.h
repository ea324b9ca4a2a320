/* How a handler is given its range, constants and kernel, which differs between releases of
 * libsycl.
 *
 * The templates in libsycl's headers do this for an application's kernels; for kernels that have
 * names only, this code does the same with private members of sycl::handler. Each of
 * dpcpp_handler_*.cpp implements all of it for some releases, and compiles with the headers of
 * these releases only: ci/build-dpcpp links the first one that compiles. */
#ifndef CONFORMANCE_HOST_PROGRAM_DPCPP_HANDLER_H
#define CONFORMANCE_HOST_PROGRAM_DPCPP_HANDLER_H

#include "conformance/host/protocol.h"

#include <cstddef>
#include <memory>
#include <string>
#include <sycl/sycl.hpp>

namespace dpcpp
{

/* In SYCL's order: the dimension of OpenCL's get_global_id(0) comes last. */
struct nd_range {
    size_t dimensions = 0;
    size_t global[3] = {}, local[3] = {}, offset[3] = {};
    bool open = false; /* the runtime chooses the local size */
};

/* What libsycl keeps about a kernel's name; the headers do not define the type, and older releases
 * have none. */
using kernel_record = void;

/* Returns libsycl's record of a kernel, which it keeps until the process ends; null if it has none.
 * For a lambda, from the description in the module's host code, which libsycl may keep. */
kernel_record *record_of_name(const std::string &name);
kernel_record *record_of_lambda(const host_kernel &kernel);

/* Creates a lambda with room for captures of `size` bytes. */
std::unique_ptr<sycl::detail::HostKernelBase> make_lambda(size_t size);

/* Returns the handler's bundle, not built yet, in which handler::set_specialization_constant sets a
 * value. */
sycl::kernel_bundle<sycl::bundle_state::input> bundle_for_constants(sycl::handler &handler);

/* Sets the range and the offset, and the local size unless the range is open. */
void set_range(sycl::handler &handler, const nd_range &range);

/* Sets an argument in local memory. */
void set_local(sycl::handler &handler, int index, size_t size);

/* Sets the command's kernel. The arguments are those that set_arg got, which must have been called
 * before; a lambda's are its captures. A name must stay valid until the command is submitted. */
void take_named_kernel(sycl::handler &handler, const std::string &name, kernel_record *record);
void take_kernel_object(sycl::handler &handler, sycl::kernel &&kernel);
void take_lambda(sycl::handler &handler, std::unique_ptr<sycl::detail::HostKernelBase> lambda,
                 const host_kernel &kernel, kernel_record *record);

} // namespace dpcpp

#endif
