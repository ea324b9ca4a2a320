/* Checks the characters of a scenario file before the YAML parser sees them. */
#ifndef CONFORMANCE_SCENARIO_CHARACTERS_H
#define CONFORMANCE_SCENARIO_CHARACTERS_H

#include "conformance/scenario/yaml/problems.h"

/* Reports the first byte that is not UTF-8 or the first character that no scenario may contain: NUL
 * and other control characters, a carriage return without a line feed, a byte order mark inside the
 * text, and the separators (U+0085, U+2028, U+2029) that YAML 1.1 treats as line breaks but editors
 * do not, which would make line numbers differ. True if every character is allowed. */
bool scn_characters_check(scn_reporter *reporter, rt_text text);

#endif
