/* What nvJitLink reports about a symbol that two inputs define (argument twice), and after an input
 * that was refused (argument refused). Needs no GPU.
 *
 *     cc nvjitlink.c -I$NVIDIA/include -L$NVIDIA/lib -l:libnvJitLink.so.13 -o nvjitlink
 *
 * nvJitLink documentation, "Error codes" and "Linking": NVJITLINK_SUCCESS is 0; errors are
 * described in the error log. */
#include <nvJitLink.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static nvJitLinkHandle linker;

static void add(const char *name, const char *ptx)
{
    size_t size = 0;
    nvJitLinkResult result = nvJitLinkAddData(linker, NVJITLINK_INPUT_PTX, ptx, strlen(ptx), name);
    nvJitLinkGetErrorLogSize(linker, &size);
    printf("nvJitLinkAddData(%s): %d, an error log of %zu bytes\n", name, result, size);
}

int main(int count, char **words)
{
    const char *options[] = {"-arch=sm_90"};
    size_t size = 0;
    unsigned major = 0, minor = 0;
    int is_refused = count > 1 && strcmp(words[1], "refused") == 0;
    nvJitLinkVersion(&major, &minor);
    printf("nvJitLink %u.%u\n", major, minor);
    if (nvJitLinkCreate(&linker, 1, options) != NVJITLINK_SUCCESS) return 1;
    add("first", is_refused ? "this is not PTX" : HEAD ".visible .func f() { ret; }\n");
    if (!is_refused) add("second", HEAD ".visible .func f() { trap; ret; }\n");
    printf("nvJitLinkComplete: %d\n", nvJitLinkComplete(linker));
    printf("nvJitLinkGetLinkedCubinSize: %d, ", nvJitLinkGetLinkedCubinSize(linker, &size));
    printf("%s\n", size > 0 ? "a cubin" : "no cubin");
    return 0;
}
