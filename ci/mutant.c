/* Selects the mutant of this process, and maps the file that records which ones are reached
 * (mutant.h). */
#include "ci/mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int assay_mutant_active;
volatile unsigned char *assay_mutant_reached;

/* Runs before all other constructors. */
__attribute__((constructor(101))) static void open_mutants(int argument_count, char **arguments)
{
    const char *active = getenv("ASSAY_MUTANT");
    const char *path = getenv("ASSAY_MUTANT_REACHED");
    if (active) assay_mutant_active = atoi(active);
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (path && (file < 0 || ftruncate(file, 2 * MUTANT_CAPACITY) != 0)) abort();
    void *map = mmap(NULL, 2 * MUTANT_CAPACITY, PROT_READ | PROT_WRITE,
                     file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    if (map == MAP_FAILED) abort();
    if (file >= 0) close(file);
    const char *command = argument_count > 1 ? arguments[1] : "";
    int is_compile_stage = strcmp(command, "worker") == 0 || strcmp(command, "offline") == 0;
    assay_mutant_reached = (unsigned char *)map + (is_compile_stage ? 0 : MUTANT_CAPACITY);
    assay_mutant_reached[0] = getenv("ASSAY_MUTANT_CHECK") != NULL; /* no mutant has the number 0 */
}
