// A launch of a kernel object without an argument that the launch before it has set, without assay.
// shipped_linking.sh builds and runs it.
//
// The kernel adds its second argument to a number.  It is launched with 5, and then in another
// command group, which sets only the first argument.  SYCL 2020, "Class kernel" and set_arg of
// "Class handler": arguments are set for the command group; a kernel whose argument was never set
// cannot be launched.
//
//   never: the first launch sets only the first argument
//   before: the second launch does
//
// Seen with libsycl 9.0.0 (wheel intel-sycl-rt 2026.2.0) over Intel's OpenCL CPU runtime
// 2026.22.10.0.01_160000:
//
//   never    refused, with error 66 (UR_RESULT_ERROR_ADAPTER_SPECIFIC)
//   before   5, then 10: the argument of the other command group
#include "fat_binary.hpp"

#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

CODE(plus);

/* A negative value is not set. */
static void launch(sycl::queue &queue, const sycl::kernel &kernel, int *data, int value)
try {
    queue.submit([&](sycl::handler &handler) {
        handler.set_arg(0, data);
        if (value >= 0) handler.set_arg(1, value);
        handler.parallel_for(sycl::range<1>(1), kernel);
    });
    queue.wait_and_throw();
    std::printf("%d\n", data[0]);
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
}

int main(int count, char **words)
{
    sycl::queue queue;
    int *data = sycl::malloc_shared<int>(1, queue);
    data[0] = 0;
    add({plus_begin, plus_end, "plus", nullptr, 0});
    sycl::kernel_id id = sycl::get_kernel_ids().at(0);
    auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(
        queue.get_context(), {queue.get_device()}, {id});
    sycl::kernel kernel = bundle.get_kernel(id);
    if (count == 2 && std::strcmp(words[1], "before") == 0) launch(queue, kernel, data, 5);
    launch(queue, kernel, data, -1);
    return 0;
}
