#!/bin/sh
# Each mistake that planted_mistake.c makes must be reported by a sanitizer, and end the program.
#   planted_mistake.sh PROGRAM
export ASAN_OPTIONS=detect_stack_use_after_return=1
failures=0
reported() { # program, mistake, words of the report
    if output=$("$1" "$2" 1 2>&1); then
        echo "$2: the program ended with 0"
        failures=$((failures + 1))
    elif ! printf '%s\n' "$output" | grep -qE "$3"; then
        echo "$2: expected a report with '$3', got:"
        printf '%s\n' "$output"
        failures=$((failures + 1))
    fi
}
reported "$1" heap_overflow "heap-buffer-overflow|insufficient space"
reported "$1" use_after_free heap-use-after-free
reported "$1" leak "detected memory leaks"
reported "$1" use_after_scope stack-use-after-scope
reported "$1" use_after_return stack-use-after-return
reported "$1" shift "shift exponent 40"
reported "$1" overflow "signed integer overflow"
reported "$1" division "division by zero"
reported "$1" bounds "index 4 out of bounds"
reported "$1" null_member "member access within null pointer"
reported "$1" alignment "misaligned address"
reported "$1" not_a_bool "not a valid value for type"
[ $failures -eq 0 ]
