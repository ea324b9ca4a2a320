// What libsycl does with two shared libraries that have kernels of the same name, without assay.
//
// Each library registers an image with a kernel `work`, which adds VALUE, and submits it as a
// lambda; what the DPC++ compiler writes to the integration header is written by hand here. The
// arguments are one of the words below and the paths of the two libraries.
//
// both (DL-CACHE-14): SharedLibraries.md, "In-memory cache": a kernel is identified by its name and
// its OS module. So each library launches its own kernel, and the answer is 101 102 103.
//
// unload: the library that was loaded first is unloaded after both have launched, and the other one
// launches again and adds 100 to each number, so the answer is 201 202 203.
#include <sycl/sycl.hpp>

#ifdef VALUE
#include "fat_binary.hpp"

CODE(work);
extern "C" void __sycl_unregister_lib(const void *);

namespace
{
class work;
}

namespace sycl
{
inline namespace _V1
{
namespace detail
{
template <> struct KernelInfo<work> {
    static constexpr kernel_param_desc_t pointer{kernel_param_kind_t::kind_pointer, 8, 0};
    static constexpr unsigned getNumParams()
    {
        return 1;
    }
    static constexpr const kernel_param_desc_t &getParamDesc(int)
    {
        return pointer;
    }
    static constexpr const char *getName()
    {
        return "work";
    }
    static constexpr bool isESIMD()
    {
        return false;
    }
    static constexpr const char *getFileName()
    {
        return "";
    }
    static constexpr const char *getFunctionName()
    {
        return "";
    }
    static constexpr unsigned getLineNumber()
    {
        return 0;
    }
    static constexpr unsigned getColumnNumber()
    {
        return 0;
    }
    static constexpr int64_t getKernelSize()
    {
        return 8;
    }
};
} // namespace detail
} // namespace _V1
} // namespace sycl

static const entry kernel{nullptr, "work", 0, 0, 0};
static image code;
static const descriptor images{1, 1, &code, nullptr, nullptr};

__attribute__((constructor)) static void load()
{
    describe(&code, {work_begin, work_end, "work", nullptr, 0}, &kernel);
    __sycl_register_lib(&images);
}
__attribute__((destructor)) static void unload()
{
    __sycl_unregister_lib(&images);
}

extern "C" void launch(sycl::queue &queue, int *data)
{
    queue.parallel_for<work>(sycl::range<1>(3), [=](sycl::id<1>) { (void)data; }).wait_and_throw();
}

#else
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using launcher = void(sycl::queue &, int *);

static void *library(const char *path, launcher *&launch)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) std::printf("%s\n", dlerror());
    launch = handle ? reinterpret_cast<launcher *>(dlsym(handle, "launch")) : nullptr;
    return handle;
}

int main(int count, char **words)
try {
    launcher *launch_one, *launch_two;
    if (count != 4) return 2;
    void *one = library(words[2], launch_one);
    if (!one || !library(words[3], launch_two)) return 2;
    sycl::queue queue;
    int *data = sycl::malloc_shared<int>(3, queue);
    for (int i = 0; i < 3; i++)
        data[i] = i;
    launch_one(queue, data);
    launch_two(queue, data);
    if (std::strcmp(words[1], "unload") == 0) {
        dlclose(one);
        launch_two(queue, data);
    }
    std::printf("%d %d %d\n", data[0], data[1], data[2]);
    return 0;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
#endif
