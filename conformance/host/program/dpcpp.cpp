/* The requests of the host program over libsycl: reading them, what answers which, and how what is
 * thrown becomes a refusal. */
#include "conformance/host/program/dpcpp.h"

#include <cstring>
#include <exception>
#include <new>

namespace dpcpp
{

/* ---- Fields ------------------------------------------------------------------------------- */

void refuse(const char *class_name, const std::string &message)
{
    throw refusal{class_name, message};
}

void refuse(const std::string &message)
{
    refuse("errc::invalid", message);
}

const unsigned char *request::take(size_t length)
{
    if (length > size - position) {
        refuse("the request ends at byte " + std::to_string(size) + ", within a field at byte " +
               std::to_string(position));
    }
    const unsigned char *field = data + position;
    position += length;
    return field;
}

uint8_t request::u8()
{
    return *take(1);
}

/* Little-endian, as is every machine that libsycl runs on. */
uint32_t request::u32()
{
    uint32_t value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
}

uint64_t request::u64()
{
    uint64_t value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
}

std::string request::text()
{
    uint64_t length = u64();
    const unsigned char *field = take(length);
    std::string value(reinterpret_cast<const char *>(field), length);
    /* libsycl takes names as C strings, so one with a NUL byte would be taken for another. */
    if (value.find('\0') != std::string::npos) refuse("a text of the request has a NUL byte");
    return value;
}

std::vector<unsigned char> request::bytes()
{
    uint64_t length = u64();
    const unsigned char *field = take(length);
    return std::vector<unsigned char>(field, field + length);
}

uint32_t request::count(size_t item_size)
{
    uint32_t count = u32();
    if (count > (size - position) / item_size) {
        refuse("the request says that " + std::to_string(count) + " items follow byte " +
               std::to_string(position) + ", more than it has room for");
    }
    return count;
}

uint8_t request::below(unsigned limit, const char *what)
{
    uint8_t value = u8();
    if (value >= limit) refuse("there is no " + std::string(what) + " " + std::to_string(value));
    return value;
}

void request::end() const
{
    if (position != size) {
        refuse("the request has " + std::to_string(size - position) + " bytes behind its last field");
    }
}

void answer::number(uint64_t value, unsigned number_size)
{
    written.append(reinterpret_cast<const char *>(&value), number_size);
}

void answer::u8(uint8_t value)
{
    number(value, 1);
}

void answer::u32(uint32_t value)
{
    number(value, 4);
}

void answer::u64(uint64_t value)
{
    number(value, 8);
}

void answer::text(const std::string &value)
{
    bytes(value.data(), value.size());
}

void answer::bytes(const void *data, size_t size)
{
    u64(size);
    written.append(static_cast<const char *>(data), size);
}

/* ---- The state ---------------------------------------------------------------------------- */

static std::mutex state_lock;
static std::unique_ptr<state> kept_state;

state &the_state()
{
    std::lock_guard<std::mutex> held(state_lock);
    if (!kept_state) {
        auto made = std::make_unique<state>();
        made->devices = sycl::device::get_devices();
        kept_state = std::move(made);
    }
    return *kept_state;
}

void end_state()
{
    std::lock_guard<std::mutex> held(state_lock);
    kept_state.reset();
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

static std::string class_of(const sycl::exception &thrown)
{
    const size_t count = sizeof error_names / sizeof *error_names;
    auto number = static_cast<size_t>(thrown.code().value());
    if (thrown.code().category() != sycl::sycl_category() || number >= count) return "exception";
    return error_names[number];
}

/* What is being thrown, as a refusal. */
static refusal refusal_of_current_exception()
{
    try {
        throw;
    } catch (const refusal &ours) {
        return ours;
    } catch (const sycl::exception &thrown) {
        return {class_of(thrown), thrown.what()};
    } catch (const std::bad_alloc &) {
        return {"errc::memory_allocation", "the host program is out of memory"};
    } catch (const std::exception &thrown) {
        return {"exception", thrown.what()};
    } catch (...) {
        return {"exception", "something that is no std::exception was thrown"};
    }
}

void throw_failures()
{
    state &all = the_state();
    std::vector<std::exception_ptr> failures;
    {
        std::lock_guard<std::mutex> held(all.failures_lock);
        failures.swap(all.failures);
    }
    if (!failures.empty()) std::rethrow_exception(failures.front());
}

/* ---- Requests ----------------------------------------------------------------------------- */

static void (*const answerers[HOST_REQUEST_END])(request &, answer &) = {
    /* HOST_HELLO to HOST_SEGMENTS are answered by what both host programs share. */
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
};
static_assert(HOST_DEVICES == 6 && HOST_REQUEST_END == 18, "the table follows host_request");

} // namespace dpcpp
