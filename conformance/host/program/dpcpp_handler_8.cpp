/* dpcpp_handler.h for libsycl 8 (wheels 2025.0.0 to 2025.3.3). Its handlers launch typed kernels
 * only, so a launch by name is a lambda's without the lambda, and the arguments come from set_arg.
 */
#include "conformance/host/program/dpcpp_handler.h"
#include "conformance/host/program/dpcpp_private.h"

#include <map>
#include <mutex>
#include <vector>
#if __has_include(<sycl/detail/kernel_name_based_cache.hpp>)
#include <sycl/detail/kernel_name_based_cache.hpp>
#define HAS_NAME_CACHE
#endif

namespace dpcpp
{

OPENED(set_open_range, sycl::handler, setNDRangeDescriptorPadded,
       void (sycl::handler::*)(sycl::range<3>, sycl::id<3>, int));
OPENED(set_local_range, sycl::handler, setNDRangeDescriptorPadded,
       void (sycl::handler::*)(sycl::range<3>, sycl::range<3>, sycl::id<3>, int));
OPENED(bundle_inserted, sycl::handler, getOrInsertHandlerKernelBundle,
       std::shared_ptr<sycl::detail::kernel_bundle_impl> (sycl::handler::*)(bool) const);
/* The parts of a lambda's submit, which the template handler::StoreLambda does in this order: keeps
 * the lambda, takes its captures as arguments, and sets the kernel's name. The caller sets the kind
 * of the command. */
OPENED(host_kernel_kept, sycl::handler, MHostKernel,
       std::unique_ptr<sycl::detail::HostKernelBase> sycl::handler::*);
OPENED(take_captures, sycl::handler, extractArgsAndReqsFromLambda,
       void (sycl::handler::*)(char *, size_t, const sycl::detail::kernel_param_desc_t *, bool));
OPENED(kernel_name, sycl::handler, MKernelName, sycl::detail::string sycl::handler::*);
OPENED(set_command_type, sycl::handler, setType, void (sycl::handler::*)(sycl::detail::CGType));
/* The parts of parallel_for with a kernel object. */
OPENED(kernel_kept, sycl::handler, MKernel,
       std::shared_ptr<sycl::detail::kernel_impl> sycl::handler::*);
OPENED(take_object_arguments, sycl::handler, extractArgsAndReqs, void (sycl::handler::*)());
OPENED(name_of_kernel, sycl::handler, getKernelName, sycl::detail::string (sycl::handler::*)());

/* In 2025.3 a lambda's name also has a cache, which a static variable of a template holds. */
#ifdef HAS_NAME_CACHE
OPENED(set_name_cache, sycl::handler, setKernelNameBasedCachePtr,
       void (sycl::handler::*)(sycl::detail::KernelNameBasedCacheT *));
#endif

#ifdef HAS_NAME_CACHE
kernel_record *record_of_name(const std::string &name)
{
    static std::mutex lock;
    static std::map<std::string, kernel_record *> records;
    std::lock_guard<std::mutex> held(lock);
    kernel_record *&record = records[name];
    if (!record) record = sycl::detail::createKernelNameBasedCache();
    return record;
}
#else
kernel_record *record_of_name(const std::string &)
{
    return nullptr;
}
#endif

kernel_record *record_of_lambda(const host_kernel &kernel)
{
#ifdef HAS_NAME_CACHE
    static_cast<void>(kernel); /* one per module that submits it */
    return sycl::detail::createKernelNameBasedCache();
#else
    return record_of_name(kernel.name);
#endif
}

class lambda : public sycl::detail::HostKernelBase
{
  public:
    explicit lambda(size_t size) : captures(size / sizeof(std::max_align_t) + 1) {}
    char *getPtr() override
    {
        return reinterpret_cast<char *>(captures.data());
    }
    void InstantiateKernelOnHost() override {}

  private:
    std::vector<std::max_align_t> captures;
};

std::unique_ptr<sycl::detail::HostKernelBase> make_lambda(size_t size)
{
    return std::make_unique<lambda>(size);
}

sycl::kernel_bundle<sycl::bundle_state::input> bundle_for_constants(sycl::handler &handler)
{
    return sycl::detail::createSyclObjFromImpl<sycl::kernel_bundle<sycl::bundle_state::input>>(
        (handler.*member(bundle_inserted{}))(true));
}

/* Dimensions that a range does not have are zero (handler::padRange). */
void set_range(sycl::handler &handler, const nd_range &range)
{
    const sycl::range<3> global(range.global[0], range.global[1], range.global[2]);
    const sycl::range<3> local(range.local[0], range.local[1], range.local[2]);
    const sycl::id<3> offset(range.offset[0], range.offset[1], range.offset[2]);
    const int dimensions = static_cast<int>(range.dimensions);
    if (range.open)
        (handler.*member(set_open_range{}))(global, offset, dimensions);
    else
        (handler.*member(set_local_range{}))(global, local, offset, dimensions);
}

/* extractArgsAndReqs makes this of a local accessor or work_group_memory. */
void set_local(sycl::handler &handler, int index, size_t size)
{
    (handler.*member(add_argument{}))(sycl::detail::kernel_param_kind_t::kind_std_layout, nullptr,
                                      static_cast<int>(size), index);
}

static void set_name(sycl::handler &handler, const char *name, kernel_record *record)
{
    handler.*member(kernel_name{}) = sycl::detail::string(name);
#ifdef HAS_NAME_CACHE
    (handler.*member(set_name_cache{}))(static_cast<sycl::detail::KernelNameBasedCacheT *>(record));
#else
    static_cast<void>(record);
#endif
    (handler.*member(set_command_type{}))(sycl::detail::CGType::Kernel);
}

void take_named_kernel(sycl::handler &handler, const std::string &name, kernel_record *record)
{
    set_name(handler, name.c_str(), record);
}

void take_kernel_object(sycl::handler &handler, sycl::kernel &&kernel)
{
    (handler.*member(set_command_type{}))(sycl::detail::CGType::Kernel);
    handler.*member(kernel_kept{}) = sycl::detail::getSyclObjImpl(kernel);
    (handler.*member(take_object_arguments{}))();
    handler.*member(kernel_name{}) = (handler.*member(name_of_kernel{}))();
}

void take_lambda(sycl::handler &handler, std::unique_ptr<sycl::detail::HostKernelBase> lambda,
                 const host_kernel &kernel, kernel_record *record)
{
    std::vector<sycl::detail::kernel_param_desc_t> parameters;
    for (unsigned i = 0; i < kernel.parameter_count; i++) {
        const host_parameter described = kernel.parameter(static_cast<int>(i));
        parameters.push_back({static_cast<sycl::detail::kernel_param_kind_t>(described.kind),
                              described.size, described.offset});
    }
    char *captures = lambda->getPtr();
    handler.*member(host_kernel_kept{}) = std::move(lambda);
    (handler.*member(take_captures{}))(captures, parameters.size(), parameters.data(), false);
    set_name(handler, kernel.name, record);
}

} // namespace dpcpp
