/* Files that appear whole or not at all. */
#ifndef CONFORMANCE_REPORT_OUTPUT_H
#define CONFORMANCE_REPORT_OUTPUT_H

#include "reference/base/text.h"

/* Puts the content into the file: written beside it under another name, brought to the disk, and
 * renamed, so that a reader finds the old content or the new.  Links are followed.  Our own output
 * (/dev/stdout) and what is not a regular file (a pipe) are written to as they are.  Returns 0 or
 * an errno. */
int cnf_file_replace(const char *name, rt_text content);

#endif
