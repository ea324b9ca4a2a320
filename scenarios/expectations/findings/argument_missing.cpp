// What libsycl does with a launch that sets fewer arguments than the kernel has, without assay:
// store(out, value) writes value to out[0].
//
// after-a-launch: the first launch sets both arguments, out and 7, and the second one only its own
// out. Each command group has its own arguments, set by handler::set_arg, so nothing gives the
// second launch a value, and no order of the two can make it write 7.
//
// alone: the same launch without the first one.
#include <sycl/sycl.hpp>

#include "fat_binary.hpp"

#include <cstdio>
#include <cstring>

CODE(store);

static sycl::kernel find(const sycl::queue &queue)
{
    for (const sycl::kernel_id &id : sycl::get_kernel_ids()) {
        if (std::strcmp(id.get_name(), "store") != 0) continue;
        return sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context(),
                                                                       {queue.get_device()}, {id})
            .get_kernel(id);
    }
    throw sycl::exception(sycl::make_error_code(sycl::errc::runtime), "there is no kernel store");
}

static void launch(sycl::queue &queue, const sycl::kernel &kernel, bool with_value)
{
    int *out = sycl::malloc_shared<int>(1, queue);
    out[0] = 1;
    queue.submit([&](sycl::handler &handler) {
        handler.set_arg(0, out);
        if (with_value) handler.set_arg(1, 7);
        handler.parallel_for(sycl::range<1>(1), kernel);
    });
    queue.wait_and_throw();
    std::printf("%d\n", out[0]);
}

int main(int count, char **words)
try {
    add({store_begin, store_end, "store", nullptr, 0});
    sycl::queue queue;
    sycl::kernel kernel = find(queue);
    if (count == 2 && std::strcmp(words[1], "after-a-launch") == 0) launch(queue, kernel, true);
    launch(queue, kernel, false);
    return 0;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
}
