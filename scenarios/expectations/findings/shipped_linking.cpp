// What libsycl does with device images that import and export symbols, without assay: the images
// are made by hand here, from OpenCL C, and launched through SYCL's public interface.
//
// providers (DL-RESOLVE-07): image `both` exports f and g, image `g` exports g alone
// and is registered later; the kernel imports both.  Once `both` is chosen for f, g counts
// as resolved, so `g` must not be linked, and the answer is 10 20 30.
//
// refused-before: as providers, but then the library with `g` is unloaded, and the kernel is
// launched again.  Only `both` is left, so the answer is 10 20 30; with the argument
// unloaded-first, nothing was launched before.
//
// unloaded (DL-LINK-05): the kernel imports `area`, and one library exports it: 1 2 3.  That
// library is unloaded, and another one whose `area` returns 0 is loaded: no library whose `area`
// adds 1 exists any more, so the answer is 0 0 0, or the launch is refused.  Its twin,
// unloaded-before, loads the second library without having launched the kernel.
//
// set-name, set-name-nul (VF-LINK-02): the kernel's image uses the set of virtual functions
// "shapes", and the image that exports `area` is of that set.  A byte-array property has a length;
// the byte that follows the array in memory, an X for set-name and a NUL for set-name-nul, is not
// part of the name, so both answer 1 2 3.
//
// no-entries (VF-LINK-02): as set-name-nul, but the image that exports `area` lists no entries. Its
// set decides that it is linked, so the answer is 1 2 3.
//
// dummy (VF-LINK-03): a second image in SPIR-V has the set and `dummy-image` = 1, and its `area`
// does nothing.  The device can run the first image, so the answer is 1 2 3.
//
// dummy-needed (VF-LINK-04): the same, but the first image requires the aspect gpu (2).  The dummy
// is linked instead, and the kernel runs; no document defines the result of the dummy's `area`.
//
// libsycl treats every property in "SYCL/virtual functions" as a list of set names.
//
// no-dummy: as dummy-needed without the dummy, for which VirtualFunctions.md defines no result.
#include <sycl/sycl.hpp>

#include "fat_binary.hpp"

#include <cstdio>
#include <cstring>

CODE(app);
CODE(both);
CODE(g);
CODE(set);
CODE(user);
CODE(dummy);

/* ---- A launch over three values ------------------------------------------------------------- */

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

/* Registers the images; returns the library of `g`. */
static const descriptor *add_providers()
{
    static const property_set app_sets[] = {{"SYCL/imported symbols", f_and_g, f_and_g + 2}};
    static const property_set both_sets[] = {{"SYCL/exported symbols", f_and_g, f_and_g + 2}};
    static const property_set g_sets[] = {{"SYCL/exported symbols", &g_alone, &g_alone + 1}};
    add({both_begin, both_end, "f", both_sets, 1});
    const descriptor *library = add({g_begin, g_end, "g", g_sets, 1});
    add({app_begin, app_end, "apply", app_sets, 1});
    return library;
}

static int providers()
{
    add_providers();
    return launch("apply");
}

static int without_g(bool launch_before)
{
    const descriptor *library = add_providers();
    if (launch_before) launch("apply");
    __sycl_unregister_lib(library);
    return launch("apply");
}

static int unloaded(bool launch_before)
{
    static const property area{"area", nullptr, 1, 1};
    static const property_set exports{"SYCL/exported symbols", &area, &area + 1};
    static const property_set imports{"SYCL/imported symbols", &area, &area + 1};
    const descriptor *library = add({set_begin, set_end, "area", &exports, 1});
    add({user_begin, user_end, "draw", &imports, 1});
    if (launch_before) launch("draw");
    __sycl_unregister_lib(library);
    add({dummy_begin, dummy_end, "area", &exports, 1});
    return launch("draw");
}

/* The set name "shapes", preceded by its length in bits, 48, and followed by the byte `after`. */
static int sets(char after, const char *entry)
{
    static unsigned char name[] = {48, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 'a', 'p', 'e', 's', 0, 0};
    static unsigned char other[] = {48, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 'a', 'p', 'e', 's', 0, 0};
    name[14] = (unsigned char)after;
    static const property uses{"uses-virtual-functions-set", name, 2, 14};
    static const property has{"virtual-functions-set", other, 2, 14};
    static const property_set user_sets[] = {{"SYCL/virtual functions", &uses, &uses + 1}};
    static const property_set set_sets[] = {{"SYCL/virtual functions", &has, &has + 1}};
    add({set_begin, set_end, entry, set_sets, 1});
    add({user_begin, user_end, "draw", user_sets, 1});
    return launch("draw");
}

/* ---- Two images that have set s -------------------------------------------------------------- */

/* The set name "s", preceded by its length in bits and followed by a NUL. */
static const unsigned char set_s[] = {8, 0, 0, 0, 0, 0, 0, 0, 's', 0};
static const unsigned char aspect_gpu[] = {32, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};

static const property uses_s{"uses-virtual-functions-set", set_s, 2, 9};
static const property has_s[] = {{"virtual-functions-set", set_s, 2, 9},
                                 {"dummy-image", nullptr, 1, 1}};
static const property needs_gpu{"aspects", aspect_gpu, 2, 12};
static const property_set user_of_s{"SYCL/virtual functions", &uses_s, &uses_s + 1};
static const property_set provider_of_s[] = {
    {"SYCL/virtual functions", has_s, has_s + 1},
    {"SYCL/device requirements", &needs_gpu, &needs_gpu + 1}};
static const property_set dummy_of_s{"SYCL/virtual functions", has_s, has_s + 2};

static int dummies(bool provider_runs, bool with_dummy)
{
    add({set_begin, set_end, "area", provider_of_s, provider_runs ? 1u : 2u});
    if (with_dummy) add({dummy_begin, dummy_end, "area", &dummy_of_s, 1});
    add({user_begin, user_end, "draw", &user_of_s, 1});
    return launch("draw");
}

int main(int count, char **words)
try {
    const char *what = count == 2 ? words[1] : "";
    if (std::strcmp(what, "providers") == 0) return providers();
    if (std::strcmp(what, "refused-before") == 0) return without_g(true);
    if (std::strcmp(what, "unloaded-first") == 0) return without_g(false);
    if (std::strcmp(what, "unloaded") == 0) return unloaded(true);
    if (std::strcmp(what, "unloaded-before") == 0) return unloaded(false);
    if (std::strcmp(what, "set-name") == 0) return sets('X', "area");
    if (std::strcmp(what, "set-name-nul") == 0) return sets('\0', "area");
    if (std::strcmp(what, "no-entries") == 0) return sets('\0', nullptr);
    if (std::strcmp(what, "dummy") == 0) return dummies(true, true);
    if (std::strcmp(what, "dummy-needed") == 0) return dummies(false, true);
    if (std::strcmp(what, "no-dummy") == 0) return dummies(false, false);
    std::printf(
        "usage: shipped_linking providers|refused-before|unloaded-first|unloaded|unloaded-before|"
        "set-name|set-name-nul|no-entries|dummy|dummy-needed|no-dummy\n");
    return 2;
} catch (const std::exception &failed) {
    std::printf("neither run nor refused: %s\n", failed.what());
    return 3;
}
