/* AddressSanitizer's default options; compiled only for the sanitizer presets. */

/* Called by the sanitizers before main and before the leak check; options in ASAN_OPTIONS override
 * the former. */
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);

/* The link command requires this symbol, so that this file is linked: the function above would not
 * pull it in, since the sanitizer's library already has a weak definition of it. */
extern const char *const rt_sanitizer_options;

/* The leak check of gcc 12 and clang 14 mistakes a thread-local block of a library loaded at run
 * time for one with glibc 2.19's header if the block happens to start 16 bytes into a page; it then
 * reads a size from the bytes before the block, and dies ("Tracer caught signal 11").  LLVM in the
 * compiler worker has such a block.  Without the intercepted function, the leak check still finds
 * these blocks, like any other memory. */
const char *const rt_sanitizer_options =
    "intercept_tls_get_addr=0"
    /* To detect uses after a return, gcc 14 puts variables into a frame of the sanitizer's own,
     * aligned to 32 bytes; the engines' vectors need 64. gcc 12 does not do so by default. */
    ":detect_stack_use_after_return=0";

const char *__asan_default_options(void)
{
    return rt_sanitizer_options;
}

/* What is not ours: PoCL holds memory at exit now and then, and the original fusion compiler always
 * does. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libsycl-jit\n";
}
