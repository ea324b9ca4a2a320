/* Unit tests of compiling: requests, answers, options, the cache, the worker.
 *
 * The program is its own worker: started as `<program> worker` it serves one request, as the real
 * program does. */
#include "conformance/compile/cache.h"
#include "conformance/compile/compile.h"
#include "conformance/compile/process.h"
#include "conformance/compile/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0) return cnf_worker_main(0, 1);
    if (argc < 2) return 2;
    rt_text warning;
    cnf_cache *cache = cnf_cache_open((rt_text){0}, &warning);
    printf("warning '%.*s'\n", RT_TEXT_ARG(warning));
    scn_source sources[16] = {0};
    scn_module module = {.name = RT_TEXT("app"), .sources = sources, .split = RT_SPLIT_PER_SOURCE};
    module.build_options = rt_text_of(argv[1]);
    for (int i = 2; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        char *code = calloc(1, 1 << 20);
        size_t n = fread(code, 1, 1 << 20, f);
        char *name = malloc(20);
        snprintf(name, 20, "app/%d", i - 2);
        sources[module.source_count].name = rt_text_of(name);
        sources[module.source_count++].code = (rt_text){code, n};
    }
    for (int k = 0; k < 2; k++) {
        rt_buffer request = {0}, bytes;
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        cnf_compile_request_module(&request, &module);
        rt_arena arena = {0};
        cnf_compile_answer answer;
        cnf_compile_call(cache, &arena, rt_buffer_bytes(&request), 20000, &bytes, &answer);
        clock_gettime(CLOCK_MONOTONIC, &b);
        printf("%.3f ms: %s %.*s, artefact %zu\n",
               (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6,
               rt_code_name(answer.code), RT_TEXT_ARG(answer.message), answer.artefact.size);
        for (uint32_t i = 0; i < answer.message_count; i++)
            printf("  %.*s:%u:%u %d %.*s\n", RT_TEXT_ARG(answer.messages[i].source),
                   answer.messages[i].line, answer.messages[i].column, answer.messages[i].is_error,
                   RT_TEXT_ARG(answer.messages[i].text));
        for (uint32_t i = 0; i < answer.name_count; i++)
            printf("  name %.*s\n", RT_TEXT_ARG(answer.names[i]));
    }
}
