/* Scripts of choices: "0,1" lists the alternatives that the first choices of a run take
 * (reference/base/choose.h), and "0,1;5:2" adds that the sixth choice among ready commands takes
 * the third (dev_open_parameters.choose_command). Choices that a script does not mention are the
 * run's own. */
#ifndef REFERENCE_BASE_SCRIPT_H
#define REFERENCE_BASE_SCRIPT_H

#include "reference/base/text.h"

/* Which of the ready commands runs: at the choice with that number, from 0, the alternative. */
typedef struct rt_order {
    uint32_t number, alternative;
} rt_order;

/* Takes the next choice off the front of a script.  False: what is left is empty, the script's
 * orders, or not a script. */
bool rt_script_choice(rt_text *inout_script, uint32_t *out_alternative);
/* Takes the next order off the front of what rt_script_choice has left; false likewise. */
bool rt_script_order(rt_text *inout_script, rt_order *out_order);
/* True if the text is a script: "", choices, ';' and orders in ascending order, or both. */
bool rt_script_valid(rt_text text);

#endif
