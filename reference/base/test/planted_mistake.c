/* A program with one mistake of each kind that a build with sanitizers must report;
 * planted_mistake.sh demands the reports.  The numbers come from the command line, so that no
 * compiler sees the mistakes. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    int first, second;
} pair;

static int *volatile kept;

static void heap_overflow(int n)
{
    volatile char *block = malloc(8);
    block[8 * n] = 1;
    free((void *)(uintptr_t)block);
}

static void use_after_free(int n)
{
    kept = malloc(sizeof *kept);
    free(kept);
    *(volatile int *)kept = n;
}

static void leak(int n)
{
    kept = malloc((size_t)n * 100);
    kept = NULL;
}

static void use_after_scope(int n)
{
    for (int i = 0; i < n; i++) {
        int local = i;
        kept = &local;
    }
    printf("%d\n", *(volatile int *)kept);
}

__attribute__((noinline)) static void keep_local(int n)
{
    int local = n;
    kept = &local;
}

static void use_after_return(int n)
{
    keep_local(n);
    printf("%d\n", *(volatile int *)kept);
}

static void shift(int n)
{
    printf("%d\n", 1 << 40 * n);
}

static void overflow(int n)
{
    printf("%d\n", INT_MAX + n);
}

static void division(int n)
{
    printf("%d\n", 5 / (n - 1));
}

static void bounds(int n)
{
    int row[4] = {0};
    printf("%d\n", row[4 * n]);
}

static void null_member(int n)
{
    pair *volatile none = n == 1 ? NULL : (pair *)(uintptr_t)kept;
    printf("%d\n", none->second);
}

static void alignment(int n)
{
    static char bytes[16];
    int *value = (int *)(void *)(bytes + n);
    printf("%d\n", *value);
}

static void not_a_bool(int n)
{
    bool value;
    unsigned char byte = (unsigned char)(7 * n);
    memcpy(&value, &byte, 1);
    printf("%d\n", *(volatile bool *)&value);
}

int main(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        void (*plant)(int n);
    } mistakes[] = {
        {"heap_overflow", heap_overflow},
        {"use_after_free", use_after_free},
        {"leak", leak},
        {"use_after_scope", use_after_scope},
        {"use_after_return", use_after_return},
        {"shift", shift},
        {"overflow", overflow},
        {"division", division},
        {"bounds", bounds},
        {"null_member", null_member},
        {"alignment", alignment},
        {"not_a_bool", not_a_bool},
    };
    if (argument_count != 3) return 2;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        if (strcmp(mistakes[i].name, arguments[1]) != 0) continue;
        mistakes[i].plant(atoi(arguments[2]));
        return 0;
    }
    return 2;
}
