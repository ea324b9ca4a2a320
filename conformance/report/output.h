/* Atomic replacement of files. */
#ifndef CONFORMANCE_REPORT_OUTPUT_H
#define CONFORMANCE_REPORT_OUTPUT_H

#include "reference/base/text.h"

/* Replaces the file's contents atomically: writes a temporary file next to it, flushes that to disk
 * and renames it, so that a reader sees either the old contents or the new. Symbolic links are
 * followed. The standard output (/dev/stdout) and files that are not regular (pipes) are written
 * directly. Returns 0 or an errno. */
int cnf_file_replace(const char *name, rt_text content);

/* Checks, before a long run, that cnf_file_replace could write the file now: creates its temporary
 * file and removes it, or opens a file that is not regular. The contents are unchanged, and no file
 * is created. Returns 0 or an errno. */
int cnf_file_probe(const char *name);

#endif
