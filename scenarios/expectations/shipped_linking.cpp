// What libsycl does with device images that import and export symbols, without assay: the images
// are made by hand here, from OpenCL C, and launched through SYCL's public interface.  After
// ci/setup --with dpcpp, and with clang-14, llvm-spirv-14 and g++, this builds and runs it:
//
//   scenarios/expectations/shipped_linking.sh
//
// providers (DL-RESOLVE-07, DL-RESOLVE-17): image `both` exports f and g, image `g` exports g alone
// and is registered later; the kernel imports both.  When `both` is met for f, g counts as
// resolved, so that `g` must not be taken, and the answer is 10 20 30.
//
// set-name, set-name-nul (VF-LINK-02): the kernel's image uses the set of virtual functions
// "shapes", and the image that exports `area` is of that set.  A property of bytes has a length;
// what stands in memory behind it, an X in the first and a NUL in the second, is no part of the
// name, so that both answer 1 2 3.
//
// Seen with libsycl 9.0.0 (wheel intel-sycl-rt 2026.2.0) over Intel's OpenCL CPU runtime
// 2026.22.10.0.01_160000:
//
//   providers      refused: Linking globals named 'g': symbol multiply defined!
//   set-name       refused: JIT session error: Symbols not found: [ area ]
//   set-name-nul   1 2 3
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

/* ---- The form of a fat binary, as version 9 reads it ---------------------------------------- */

struct entry {
    void *address;
    const char *name;
    size_t size;
    int32_t flags, reserved;
};
struct property {
    const char *name;
    const void *value;
    uint32_t type; // 1: a number, kept in size; 2: bytes, after their length in bits
    uint64_t size;
};
struct property_set {
    const char *name;
    const property *begin, *end;
};
struct image {
    uint16_t version;
    uint8_t kind, format;
    const char *target, *compile_options, *link_options;
    const unsigned char *begin, *end;
    const entry *entries_begin, *entries_end;
    const property_set *sets_begin, *sets_end;
};
struct descriptor {
    uint16_t version, count;
    const image *images;
    const entry *host_begin, *host_end;
};
extern "C" void __sycl_register_lib(const void *);

#define CODE(name)                                                                                 \
    asm(".section .rodata\n.balign 8\n" #name "_begin: .incbin \"" #name ".spv\"\n" #name          \
        "_end:\n.previous");                                                                       \
    extern "C" const unsigned char name##_begin[], name##_end[]
CODE(app);
CODE(both);
CODE(g);
CODE(set);
CODE(user);

/* Registers an image; it and what it consists of stay. */
static void add(const unsigned char *begin, const unsigned char *end, const char *function,
                const property_set *sets, size_t set_count)
{
    auto *entries = new entry[1]{{nullptr, function, 0, 0, 0}};
    auto *made = new image{3,     4,   2,       "spir64",    "",   "",
                           begin, end, entries, entries + 1, sets, sets + set_count};
    __sycl_register_lib(new descriptor{1, 1, made, nullptr, nullptr});
}

/* ---- Three values through the kernel -------------------------------------------------------- */

static int launch(const char *name)
try {
    sycl::queue queue;
    int *data = sycl::malloc_shared<int>(3, queue);
    for (int i = 0; i < 3; i++)
        data[i] = i;
    for (const sycl::kernel_id &id : sycl::get_kernel_ids()) {
        if (std::strcmp(id.get_name(), name) != 0) continue;
        auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(
            queue.get_context(), {queue.get_device()}, {id});
        sycl::kernel kernel = bundle.get_kernel(id);
        queue.submit([&](sycl::handler &handler) {
            handler.set_arg(0, data);
            handler.parallel_for(sycl::range<1>(3), kernel);
        });
        queue.wait_and_throw();
        std::printf("%d %d %d\n", data[0], data[1], data[2]);
        return 0;
    }
    std::printf("there is no kernel %s\n", name);
    return 2;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}

static const property f{"f", nullptr, 1, 1}, g_alone{"g", nullptr, 1, 1};
static const property f_and_g[] = {f, g_alone};

static int providers()
{
    static const property_set app_sets[] = {{"SYCL/imported symbols", f_and_g, f_and_g + 2}};
    static const property_set both_sets[] = {{"SYCL/exported symbols", f_and_g, f_and_g + 2}};
    static const property_set g_sets[] = {{"SYCL/exported symbols", &g_alone, &g_alone + 1}};
    add(both_begin, both_end, "f", both_sets, 1);
    add(g_begin, g_end, "g", g_sets, 1);
    add(app_begin, app_end, "apply", app_sets, 1);
    return launch("apply");
}

/* "shapes" with its length before it, 48 bits, and `after` behind it. */
static int sets(char after)
{
    static unsigned char name[] = {48, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 'a', 'p', 'e', 's', 0, 0};
    static unsigned char other[] = {48, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 'a', 'p', 'e', 's', 0, 0};
    name[14] = (unsigned char)after;
    static const property uses{"uses-virtual-functions-set", name, 2, 14};
    static const property has{"virtual-functions-set", other, 2, 14};
    static const property_set user_sets[] = {{"SYCL/virtual functions", &uses, &uses + 1}};
    static const property_set set_sets[] = {{"SYCL/virtual functions", &has, &has + 1}};
    add(set_begin, set_end, "area", set_sets, 1);
    add(user_begin, user_end, "draw", user_sets, 1);
    return launch("draw");
}

int main(int count, char **words)
{
    const char *what = count == 2 ? words[1] : "";
    if (std::strcmp(what, "providers") == 0) return providers();
    if (std::strcmp(what, "set-name") == 0) return sets('X');
    if (std::strcmp(what, "set-name-nul") == 0) return sets('\0');
    std::printf("usage: shipped_linking providers|set-name|set-name-nul\n");
    return 2;
}
