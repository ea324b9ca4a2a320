/* What AddressSanitizer is told in our builds; part of the sanitizer presets only. */

/* Asked by the sanitizer before main; ASAN_OPTIONS of the environment come after it and win. */
const char *__asan_default_options(void);

/* The linker is told to look for this name, which only this file defines: the sanitizer's library
 * has a weak function of the other one. */
extern const char *const rt_sanitizer_options;

/* The leak check of gcc 12 and clang 14 takes a thread-local block of a library opened at run time
 * for one with a header of glibc 2.19 when it happens to lie 16 bytes into a page, reads a size
 * out of whatever is before it, and dies ("Tracer caught signal 11").  LLVM in the compiler
 * worker has such a block.  Without the hook the blocks are found as any other memory is. */
const char *const rt_sanitizer_options = "intercept_tls_get_addr=0";

const char *__asan_default_options(void)
{
    return rt_sanitizer_options;
}
