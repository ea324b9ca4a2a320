/* AddressSanitizer's default options; part of the sanitizer presets only. */

/* Called by the sanitizer before main; options in ASAN_OPTIONS override these. */
const char *__asan_default_options(void);

/* The link command requires this symbol, which only this file defines: the sanitizer's library
 * already has a weak definition of the function above. */
extern const char *const rt_sanitizer_options;

/* The leak check of gcc 12 and clang 14 mistakes a thread-local block of a library opened at run
 * time for one with a header of glibc 2.19 if it happens to start 16 bytes into a page, reads a
 * size from the bytes before it, and dies ("Tracer caught signal 11").  LLVM in the compiler worker
 * has such a block.  Without the hook these blocks are found like any other memory. */
const char *const rt_sanitizer_options = "intercept_tls_get_addr=0";

const char *__asan_default_options(void)
{
    return rt_sanitizer_options;
}
