/* Finds and identifies the compilers. */
#include "conformance/build/toolchain.h"

#include "conformance/build/packages.h"

#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLANG_DEBIAN  "/usr/lib/llvm-" ASSAY_LLVM_VERSION "/bin/clang"
#define SPIRV_AS_NAME "spirv-as"
#define PLUGIN_NAME   "libassay_compiler.so"
#define SYCL_FOLDER   "lib/assay"
#define SYCL_NAME     "assay-sycl-compiler"
#define SYCL_JIT      "fusion/lib/libsycl-jit.so"
#define LIBCLC        "/usr/lib/clc/nvptx64--nvidiacl.bc"
#define PATH_STANDARD "/usr/local/bin:/usr/bin:/bin"

/* Writes folder/name into path; returns false, and writes "", if it is too long. */
static bool join(char path[PATH_MAX], rt_text folder, const char *name)
{
    CHECK(name[0] != '/');
    int length = snprintf(path, PATH_MAX, "%.*s/%s", RT_TEXT_ARG(folder), name);
    bool fits = length > 0 && length < PATH_MAX;
    if (!fits) path[0] = '\0';
    return fits;
}

static bool find_in(char path[PATH_MAX], rt_text folder, const char *name, int mode)
{
    if (folder.length > 0 && join(path, folder, name) && access(path, mode) == 0) return true;
    path[0] = '\0';
    return false;
}

bool cnf_toolchain_find_program(char path[PATH_MAX], const char *name)
{
    const char *folders = getenv("PATH");
    if (!folders) folders = PATH_STANDARD;
    for (const char *at = folders; *at;) {
        size_t length = strcspn(at, ":");
        if (find_in(path, (rt_text){at, length}, name, X_OK)) return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* The folder of a path, without a trailing slash. */
static rt_text folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return (rt_text){path, slash ? (size_t)(slash - path) : 0};
}

bool cnf_toolchain_find_library(char path[PATH_MAX], const char *name)
{
    path[0] = '\0';
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return false;
    program[length] = '\0';
    rt_text folder = folder_of(program);
    static const char *const places[] = {"", "../lib/assay/", "../lib/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char place[NAME_MAX];
        int size = snprintf(place, sizeof place, "%s%s", places[i], name);
        CHECK(size > 0 && (size_t)size < sizeof place);
        if (find_in(path, folder, place, R_OK)) return true;
    }
    return false;
}

void cnf_toolchain_find(cnf_toolchain *out_toolchain)
{
    *out_toolchain = (cnf_toolchain){0};
    if (!cnf_toolchain_find_program(out_toolchain->clang, CNF_CLANG_NAME) &&
        access(CLANG_DEBIAN, X_OK) == 0)
        snprintf(out_toolchain->clang, sizeof out_toolchain->clang, "%s", CLANG_DEBIAN);
    cnf_toolchain_find_program(out_toolchain->spirv_as, SPIRV_AS_NAME);
    cnf_toolchain_find_library(out_toolchain->plugin, PLUGIN_NAME);
    rt_arena arena = {0};
    rt_text packages = cnf_packages_folder(&arena);
    rt_text folder = rt_arena_printf(&arena, "%.*s/" SYCL_FOLDER, RT_TEXT_ARG(packages));
    find_in(out_toolchain->sycl, folder, SYCL_NAME, X_OK);
    find_in(out_toolchain->sycl_jit, packages, SYCL_JIT, R_OK);
    rt_arena_reset(&arena);
    if (access(LIBCLC, R_OK) == 0)
        snprintf(out_toolchain->libclc, sizeof out_toolchain->libclc, "%s", LIBCLC);
}

void cnf_toolchain_identify_file(rt_buffer *out, const char *path)
{
    struct stat status;
    if (path[0] == '\0' || stat(path, &status) != 0) {
        rt_buffer_printf(out, "%s missing\n", path);
        return;
    }
    rt_buffer_printf(out, "%s %lld %lld.%09ld\n", path, (long long)status.st_size,
                     (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/* clang's libraries are in a sibling of the folder that its symbolic link resolves to. From version
 * 18 on, the names of LLVM's libraries end in two numbers. */
static const char *const clang_libraries[] = {
    "../lib/libclang-cpp.so." ASSAY_LLVM_VERSION,
    "../lib/libclang-cpp.so." ASSAY_LLVM_VERSION ".1",
    "../lib/libLLVM-" ASSAY_LLVM_VERSION ".so.1",
    "../lib/libLLVM.so." ASSAY_LLVM_VERSION ".1",
};
enum { CLANG_LIBRARIES = sizeof clang_libraries / sizeof *clang_libraries };

/* The translator is next to the real libLLVM. */
static void identify_translator(const cnf_toolchain *toolchain, rt_buffer *out)
{
    static const char *const translators[] = {
        "libLLVMSPIRVLib.so." ASSAY_LLVM_VERSION,
        "libLLVMSPIRVLib.so." ASSAY_LLVM_VERSION ".1",
    };
    char real[PATH_MAX], path[PATH_MAX], library[PATH_MAX];
    if (toolchain->clang[0] == '\0' || !realpath(toolchain->clang, real)) return;
    for (size_t i = 0; i < CLANG_LIBRARIES; i++) {
        if (!find_in(path, folder_of(real), clang_libraries[i], R_OK) || !realpath(path, library))
            continue;
        for (size_t k = 0; k < sizeof translators / sizeof *translators; k++)
            if (find_in(path, folder_of(library), translators[k], R_OK))
                cnf_toolchain_identify_file(out, path);
    }
}

void cnf_toolchain_identify(const cnf_toolchain *toolchain, rt_buffer *out)
{
    cnf_toolchain_identify_clang(toolchain, out);
    cnf_toolchain_identify_spirv_as(toolchain, out);
    cnf_toolchain_identify_file(out, toolchain->plugin);
    cnf_toolchain_identify_file(out, toolchain->libclc);
    if (toolchain->sycl_jit[0]) cnf_toolchain_identify_file(out, toolchain->sycl_jit);
    identify_translator(toolchain, out);
    cnf_toolchain_identify_sycl(toolchain, out);
    rt_buffer_printf(out, "native %u for device %u\n", SIM_NATIVE_FORMAT, SIM_NATIVE_DEVICE);
}

void cnf_toolchain_identify_clang(const cnf_toolchain *toolchain, rt_buffer *out)
{
    char real[PATH_MAX], path[PATH_MAX];
    if (toolchain->clang[0] == '\0') return;
    cnf_toolchain_identify_file(out, toolchain->clang);
    if (!realpath(toolchain->clang, real)) return;
    for (size_t i = 0; i < CLANG_LIBRARIES; i++)
        if (find_in(path, folder_of(real), clang_libraries[i], R_OK))
            cnf_toolchain_identify_file(out, path);
}

void cnf_toolchain_identify_spirv_as(const cnf_toolchain *toolchain, rt_buffer *out)
{
    if (toolchain->spirv_as[0] != '\0') cnf_toolchain_identify_file(out, toolchain->spirv_as);
}

/* Covers the program and the libraries that do its work. */
void cnf_toolchain_identify_sycl(const cnf_toolchain *toolchain, rt_buffer *out)
{
    static const char *const libraries[] = {"../libsycl.so", "../libsycl-jit.so"};
    char path[PATH_MAX];
    if (toolchain->sycl[0] == '\0') return;
    cnf_toolchain_identify_file(out, toolchain->sycl);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (join(path, folder_of(toolchain->sycl), libraries[i]))
            cnf_toolchain_identify_file(out, path);
}
