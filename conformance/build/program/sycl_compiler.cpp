/* assay-sycl-compiler: SYCL source on standard input; on standard output, three byte strings, each
 * after its length (u64, little-endian): the SYCLBIN, the integration header and the integration
 * footer, which a host compiler reads before and after the source.
 *
 *     assay-sycl-compiler [OPTION…]        options are passed to the compiler unchanged
 *     assay-sycl-compiler --version        prints the library's version; compiles nothing
 *
 * The shipped compiler of DPC++ is inside libsycl-jit and is reached only through libsycl
 * (extension sycl_ext_oneapi_kernel_compiler), which compiles for a device: the OpenCL CPU that the
 * environment offers.  The result is the bundle in object state, so it is SPIR-V and contains
 * nothing specific to that device.  It is a separate program because the library starts threads,
 * opens drivers and may crash, and because it is C++; ci/setup --with dpcpp builds it.
 *
 * Exit status: 0 compiled; the compiler's warnings are on standard error.
 *              1 the source is refused; standard error says why, in the compiler's words.
 *              3 there is no device to compile for, or libsycl refuses for another reason.
 *              4 standard input or output failed. */
#include <sycl/sycl.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace syclexp = sycl::ext::oneapi::experimental;

enum exit_status { COMPILED = 0, REFUSED = 1, NO_DEVICE = 3, CHANNEL_FAILED = 4 };

static bool read_all(int descriptor, std::string &out)
{
    char block[65536];
    for (;;) {
        ssize_t size = read(descriptor, block, sizeof block);
        if (size <= 0) return size == 0;
        out.append(block, static_cast<size_t>(size));
    }
}

static bool write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written <= 0) return false;
        bytes += written;
        size -= static_cast<size_t>(written);
    }
    return true;
}

static bool write_string(int descriptor, const char *bytes, size_t size)
{
    char length[8];
    for (unsigned i = 0; i < sizeof length; i++)
        length[i] = static_cast<char>(static_cast<uint64_t>(size) >> 8 * i);
    return write_all(descriptor, length, sizeof length) && write_all(descriptor, bytes, size);
}

static void say(const std::string &text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    if (!text.empty() && text.back() != '\n') std::fputc('\n', stderr);
}

/* A file in memory, which the compiler opens by a path. */
class memory_file
{
  public:
    explicit memory_file(const char *name) : descriptor(memfd_create(name, MFD_CLOEXEC)) {}
    memory_file(const memory_file &) = delete;
    ~memory_file()
    {
        if (descriptor >= 0) close(descriptor);
    }
    std::string path() const
    {
        return "/proc/self/fd/" + std::to_string(descriptor);
    }
    bool read(std::string &out) const
    {
        return lseek(descriptor, 0, SEEK_SET) == 0 && read_all(descriptor, out);
    }

  private:
    int descriptor;
};

/* The front end writes both files, but libsycl-jit accepts only the options of the front end itself
 * for them, and none of the driver's. */
static void add_file(std::vector<std::string> &options, const char *option, const memory_file &file)
{
    options.push_back("-Xclang");
    options.push_back(option + file.path());
}

/* Only a refusal by the compiler is about the source; the extension specifies errc::build for it.
 */
static exit_status compile(const sycl::context &context, const std::string &source,
                           std::vector<std::string> options, int output)
{
    std::string log, header, footer;
    memory_file header_file("header"), footer_file("footer");
    add_file(options, "-fsycl-int-header=", header_file);
    add_file(options, "-fsycl-int-footer=", footer_file);
    try {
        auto bundle = syclexp::create_kernel_bundle_from_source(
            context, syclexp::source_language::sycl, source);
        auto object = syclexp::compile(
            bundle, syclexp::properties{syclexp::save_log{&log}, syclexp::build_options{options}});
        auto content = object.ext_oneapi_get_content();
        say(log);
        bool is_written = header_file.read(header) && footer_file.read(footer) &&
                          write_string(output, content.data(), content.size()) &&
                          write_string(output, header.data(), header.size()) &&
                          write_string(output, footer.data(), footer.size());
        return is_written ? COMPILED : CHANNEL_FAILED;
    } catch (const sycl::exception &error) {
        say(error.what());
        return error.code() == sycl::errc::build ? REFUSED : NO_DEVICE;
    }
}

static exit_status run(const std::vector<std::string> &options, int output)
{
    std::string source;
    if (!read_all(STDIN_FILENO, source)) return CHANNEL_FAILED;
    try {
        sycl::device device{sycl::cpu_selector_v};
        if (device.get_backend() != sycl::backend::opencl) {
            say("the CPU is not an OpenCL device");
            return NO_DEVICE;
        }
        return compile(sycl::context{device}, source, options, output);
    } catch (const std::exception &error) {
        say(error.what());
        return NO_DEVICE;
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::printf("libsycl %d.%d.%d (%d)\n", __LIBSYCL_MAJOR_VERSION, __LIBSYCL_MINOR_VERSION,
                    __LIBSYCL_PATCH_VERSION, __SYCL_COMPILER_VERSION);
        return COMPILED;
    }
    /* Output of libraries must not mix with the bytes of the result. */
    int output = dup(STDOUT_FILENO);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return CHANNEL_FAILED;
    exit_status status = run(std::vector<std::string>(argv + 1, argv + argc), output);
    std::fflush(nullptr);
    /* The drivers' threads and destructors have nothing more to do and could only crash. */
    _exit(status);
}
