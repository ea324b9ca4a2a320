/* The requests to the host program over libsycl: reading them, dispatching them, and turning
 * exceptions into refusals. Also libsycl's two entry points for images: modules find the
 * definitions in this file before those in libsycl, so that registrations are observed. */
#include "conformance/host/program/dpcpp.h"

#include <dlfcn.h>

#include <exception>
#include <new>
#include <shared_mutex>

namespace dpcpp
{

/* ---- Fields ------------------------------------------------------------------------------- */

static const char *const unreachable_reasons[] = {
#define REASON(name, reason) reason,
    HOST_UNREACHABLE(REASON)
#undef REASON
};

void refuse_unreachable(host_unreachable what, const std::string &detail)
{
    std::string message = unreachable_reasons[what];
    throw refusal{"unsupported", detail.empty() ? message : message + ": " + detail};
}

void refuse_malformed(const std::string &message)
{
    throw refusal{"malformed", message};
}

void request::check() const
{
    if (in->failed) {
        refuse_malformed("the request of " + std::to_string(in->size) +
                         " bytes ends within a field at byte " + std::to_string(in->position));
    }
}

uint8_t request::u8()
{
    uint8_t value = host_read_u8(in);
    check();
    return value;
}

uint32_t request::u32()
{
    uint32_t value = host_read_u32(in);
    check();
    return value;
}

uint64_t request::u64()
{
    uint64_t value = host_read_u64(in);
    check();
    return value;
}

std::string request::text()
{
    host_span field = host_read_bytes(in);
    check();
    std::string value(field.data, field.size);
    if (value.find('\0') != std::string::npos) refuse_unreachable(HOST_UNREACHABLE_NAME_WITH_NUL);
    return value;
}

std::vector<unsigned char> request::bytes()
{
    host_span field = host_read_bytes(in);
    check();
    return std::vector<unsigned char>(field.data, field.data + field.size);
}

uint32_t request::count(size_t item_size)
{
    uint32_t count = u32();
    if (count > (in->size - in->position) / item_size) {
        refuse_malformed("the request says that " + std::to_string(count) + " items follow byte " +
                         std::to_string(in->position) + ", more than it has room for");
    }
    return count;
}

void request::end() const
{
    if (!host_reader_finished(in)) {
        refuse_malformed("the request has " + std::to_string(in->size - in->position) +
                         " bytes after its last field");
    }
}

uint32_t below(uint32_t value, uint32_t limit, const char *kind)
{
    if (value >= limit)
        refuse_malformed("there is no " + std::string(kind) + " " + std::to_string(value));
    return value;
}

void write_text(host_writer *out, const std::string &text)
{
    host_write_bytes(out, text.data(), text.size());
}

/* ---- The state ---------------------------------------------------------------------------- */

static std::mutex state_lock;
static std::unique_ptr<state> process_state;

state &the_state()
{
    std::lock_guard<std::mutex> held(state_lock);
    if (!process_state) {
        auto fresh = std::make_unique<state>();
        fresh->devices = sycl::device::get_devices();
        process_state = std::move(fresh);
    }
    return *process_state;
}

/* Held while a request is answered. Other channels may still be busy when channel 0 closes. */
static std::shared_mutex answering;

/* Destroys buffers and queues as at an application's end, before the process's own destructors run.
 * If a request of another channel still uses them, leaks them: the end of the process cuts that
 * request short. */
static void end_state()
{
    std::unique_lock<std::shared_mutex> exclusive(answering, std::try_to_lock);
    if (!exclusive.owns_lock()) {
        static_cast<void>(process_state.release());
        return;
    }
    /* Running commands must end before the objects that they use are destroyed; no caller is left
     * to report failures to. */
    if (process_state) {
        for (const auto &waited : process_state->gates.snapshot())
            waited->open();
        for (const auto &held : process_state->mappings.snapshot())
            held->accessor.reset();
        for (const auto &queue : process_state->queues.snapshot()) {
            try {
                queue->wait();
            } catch (...) {
                continue;
            }
        }
    }
    process_state.reset();
}

/* ---- Refusals ----------------------------------------------------------------------------- */

/* Names of sycl::errc by number (SYCL 2020, 4.13.2 "Exception class interface"). */
static const char *const error_names[] = {
    "errc::success",
    "errc::runtime",
    "errc::kernel",
    "errc::accessor",
    "errc::nd_range",
    "errc::event",
    "errc::kernel_argument",
    "errc::build",
    "errc::invalid",
    "errc::memory_allocation",
    "errc::platform",
    "errc::profiling",
    "errc::feature_not_supported",
    "errc::kernel_not_supported",
    "errc::backend_mismatch",
};

/* Returns the exception being handled as a refusal. */
static refusal refusal_of_current_exception()
{
    const size_t count = sizeof error_names / sizeof *error_names;
    try {
        throw;
    } catch (const refusal &ours) {
        return ours;
    } catch (const sycl::exception &thrown) {
        auto number = static_cast<size_t>(thrown.code().value());
        bool is_named = thrown.code().category() == sycl::sycl_category() && number < count;
        return {is_named ? error_names[number] : "exception", thrown.what()};
    } catch (const std::bad_alloc &) {
        return {"errc::memory_allocation", "the host program is out of memory"};
    } catch (const std::exception &thrown) {
        return {"exception", thrown.what()};
    } catch (...) {
        return {"exception", "something that is not a std::exception was thrown"};
    }
}

void throw_failures()
{
    state &process = the_state();
    for (const auto &queue : process.queues.snapshot())
        queue->throw_asynchronous();
    std::vector<std::exception_ptr> failures;
    {
        std::lock_guard<std::mutex> held(process.failures_lock);
        failures.swap(process.failures);
    }
    if (!failures.empty()) std::rethrow_exception(failures.front());
}

/* ---- Requests ----------------------------------------------------------------------------- */

static void (*const answerers[HOST_REQUEST_END])(request &, host_writer *) = {
    /* serve.c answers HOST_HELLO to HOST_SEGMENTS for both host programs */
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    answer_devices,
    answer_kernels,
    answer_context,
    answer_queue,
    answer_memory,
    answer_read,
    answer_submit,
    answer_transfer,
    answer_wait,
    answer_bundle,
    answer_global,
    answer_global_copy,
    answer_global_read,
    answer_times,
    answer_barrier,
    answer_host_task,
    answer_part,
    answer_end_part,
    answer_gate,
    answer_release,
    answer_map,
    answer_mapped_read,
    answer_mapped_write,
    answer_unmap,
};
static_assert(HOST_DEVICES == 6 && HOST_REQUEST_END == 30, "the table follows host_request");

static bool answer(uint8_t number, host_reader *in, host_writer *out)
{
    if (number >= HOST_REQUEST_END || !answerers[number]) return false;
    std::shared_lock<std::shared_mutex> held(answering);
    try {
        request fields(in);
        answerers[number](fields, out);
    } catch (...) {
        refusal refused = refusal_of_current_exception();
        host_refuse(out, refused.class_name.c_str(), refused.message.c_str());
    }
    /* a truncated request has already been refused with its position */
    in->failed = false;
    return true;
}

} // namespace dpcpp

/* ---- Entry points ------------------------------------------------------------------------- */

#define EXPORTED __attribute__((visibility("default")))

static void forward(const char *name, const void *descriptor)
{
    auto *next = reinterpret_cast<void (*)(const void *)>(dlsym(RTLD_NEXT, name));
    if (!next) std::terminate(); /* libsycl, which this library is linked with, defines both. */
    next(descriptor);
}

extern "C" EXPORTED void __sycl_register_lib(const void *descriptor)
{
    host_event_note(HOST_EVENT_REGISTERED, descriptor);
    forward("__sycl_register_lib", descriptor);
}

extern "C" EXPORTED void __sycl_unregister_lib(const void *descriptor)
{
    host_event_note(HOST_EVENT_UNREGISTERED, descriptor);
    forward("__sycl_unregister_lib", descriptor);
}

/* The wheels of a year have the same version, so the compiler's date distinguishes them. */
#define VERSION_TEXT_OF(number) #number
#define VERSION_TEXT(number)    VERSION_TEXT_OF(number)

EXPORTED int assay_host_main(void)
{
    int status = host_serve(
        "libsycl " VERSION_TEXT(__LIBSYCL_MAJOR_VERSION) "." VERSION_TEXT(__LIBSYCL_MINOR_VERSION) "." VERSION_TEXT(
            __LIBSYCL_PATCH_VERSION) " of " VERSION_TEXT(__SYCL_COMPILER_VERSION),
        dpcpp::answer);
    dpcpp::end_state();
    return status;
}
