/* A loop that is marked as parallel: each iteration stores a value, reads it back, and stores its
 * cube next to it.
 *
 *     clang-14 -O2 parallel_loop.c -o parallel_loop && ./parallel_loop
 *
 * Clang Language Extensions, "Vectorization, Interleaving, and Predication": assume_safety asserts
 * that iterations do not depend on each other, which is the case. Within an iteration the order of
 * accesses to one location is that of C: iteration 1 reads the 2 that it has stored, and its cube
 * is 8. `zero` is a parameter so that the optimiser does not see that the read is of that value. */
#include <stdio.h>

unsigned pairs[64];

__attribute__((noinline)) static void cubes(unsigned zero, unsigned long count)
{
#pragma clang loop vectorize(assume_safety)
    for (unsigned long l = 0; l < count; l++) {
        pairs[2 * l] = (unsigned)l + 1;
        unsigned v = pairs[2 * l + zero];
        pairs[2 * l + 1] = v * v * v;
    }
}

int main(int count, char **arguments)
{
    (void)arguments;
    cubes((unsigned)count - 1, 32);
    printf("iteration 1 stored %u, must be 8; iteration 2 %u, must be 27\n", pairs[3], pairs[5]);
}
