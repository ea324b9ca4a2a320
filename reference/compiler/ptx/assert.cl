/* What assert calls in SYCL, on NVPTX: NVIDIA's function, which prints the expression and its place
 * and ends the launch with CUDA_ERROR_ASSERT.  The driver adds the work-group and the work-item.
 * Source: cl_intel_devicelib_assert; PTX Writer's Guide to Interoperability, "System Calls". */
#include "builtins.clh"

extern __attribute__((noreturn)) void __assertfail(const char *expression, const char *file,
                                                   uint line, const char *function,
                                                   size_t character_size);

__attribute__((always_inline)) void
__devicelib_assert_fail(const char *expression, const char *file, int line, const char *function,
                        ulong global_x, ulong global_y, ulong global_z, ulong local_x,
                        ulong local_y, ulong local_z)
{
    __assertfail(expression, file, (uint)line, function, sizeof(char));
}
