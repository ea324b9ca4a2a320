// What libsycl does after a shared library with device code is unloaded, without assay. The images
// are built by hand, from OpenCL C. This file is built once per library, with LIBRARY defined, and
// once as the program that opens and closes the libraries.
//
// kernel-name: libraries `first` and `second` have a kernel `work`, which adds 1. It is launched,
// `first` is closed, and it is launched again: 1, then 2.
//
// comes-again: library `first` has the kernel `work`, and `exporter` exports a function of that
// name. The kernel is launched, `first` is closed, `third`, whose kernel `rest` adds 100, is
// opened, perhaps at the same address, and `first` is opened again. `work` is launched: 1, then 2.
//
// after-an-export: `exporter` is opened, and then `first`, whose kernel `work` is launched: 1.
//
// replaced: library `one` exports f, which adds 1, and `four` exports f, which adds 4. The
// program's kernel calls f. It is launched with `one` open; then `four` is opened and `one` closed,
// and it is launched again: 1, then 5.
//
// open-import: the program has two kernels, in separate images, that call f of library `one`. Both
// are launched, `one` is closed, and both are launched again. No library exports f any more, and
// both launches should end in the same way.
#include "fat_binary.hpp"

#ifdef LIBRARY
#define CODE_OF(name)  CODE(name)
#define BEGIN_OF(name) name##_begin
#define END_OF(name)   name##_end
#define BEGIN(name)    BEGIN_OF(name)
#define END(name)      END_OF(name)
CODE_OF(LIBRARY);
static const property symbol{ENTRY, nullptr, 1, 1};
static const property_set exports{"SYCL/exported symbols", &symbol, &symbol + 1};
static entry only_entry{nullptr, ENTRY, 0, 0, 0};
static image only_image;
static const descriptor description{1, 1, &only_image, nullptr, nullptr};
extern "C" void __sycl_unregister_lib(const void *);

__attribute__((constructor)) static void opened()
{
    describe(&only_image,
             {BEGIN(LIBRARY), END(LIBRARY), ENTRY, EXPORTS ? &exports : nullptr, EXPORTS},
             &only_entry);
    __sycl_register_lib(&description);
}
__attribute__((destructor)) static void closed()
{
    __sycl_unregister_lib(&description);
}
#else
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

CODE(apply);
CODE(again);

static void *open_library(const std::string &folder, const char *name)
{
    void *library = dlopen((folder + "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) std::printf("%s\n", dlerror());
    return library;
}

/* Launches by the kernel's name, as for a free-function kernel, and prints what it stored. */
static void launch(sycl::queue &queue, const char *name, int *data)
try {
    queue.submit([&](sycl::handler &handler) {
        handler.set_arg(0, data);
        handler.nd_launch_free_function(&sycl::detail::getDeviceKernelInfo(name),
                                        sycl::nd_range<1>(1, 1), syclex::empty_properties_t{});
    });
    queue.wait_and_throw();
    std::printf("%s: %d\n", name, data[0]);
} catch (const sycl::exception &refused) {
    std::printf("%s: refused: %s\n", name, refused.what());
}

int main(int count, char **words)
{
    static const property f_symbol{"f", nullptr, 1, 1};
    static const property_set imports{"SYCL/imported symbols", &f_symbol, &f_symbol + 1};
    const char *what = count == 2 ? words[1] : "";
    std::string program = words[0], folder = program.substr(0, program.rfind('/'));
    setbuf(stdout, nullptr);
    sycl::queue queue;
    int *data = sycl::malloc_shared<int>(1, queue);
    data[0] = 0;
    if (std::strcmp(what, "kernel-name") == 0) {
        void *first = open_library(folder, "first");
        open_library(folder, "second");
        launch(queue, "work", data);
        dlclose(first);
        launch(queue, "work", data);
        return 0;
    }
    if (std::strcmp(what, "after-an-export") == 0) {
        open_library(folder, "exporter");
        open_library(folder, "first");
        launch(queue, "work", data);
        return 0;
    }
    if (std::strcmp(what, "comes-again") == 0) {
        void *first = open_library(folder, "first");
        open_library(folder, "exporter");
        launch(queue, "work", data);
        dlclose(first);
        open_library(folder, "third");
        open_library(folder, "first");
        launch(queue, "work", data);
        return 0;
    }
    add({apply_begin, apply_end, "apply", &imports, 1});
    add({again_begin, again_end, "again", &imports, 1});
    void *one = open_library(folder, "one");
    launch(queue, "apply", data);
    if (std::strcmp(what, "replaced") == 0) {
        open_library(folder, "four");
        dlclose(one);
        launch(queue, "apply", data);
    } else {
        launch(queue, "again", data);
        dlclose(one);
        launch(queue, "apply", data);
        launch(queue, "again", data);
    }
    return 0;
}
#endif
