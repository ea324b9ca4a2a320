/* The two profiles of the reference runtime. */
#ifndef REFERENCE_BASE_PROFILE_H
#define REFERENCE_BASE_PROFILE_H

#include "reference/base/text.h"

/* What the reference follows where the documents and DPC++ differ. */
#define RT_PROFILES(PROFILE)                                                                       \
    PROFILE(DOCUMENTS, "documents") /* what the documents say; normative */                        \
    PROFILE(DPCPP, "dpcpp")         /* what shipped DPC++ does, as recorded in requirements.yaml */

typedef enum rt_profile {
#define RT_PROFILE_ENUM(profile, name) RT_PROFILE_##profile,
    RT_PROFILES(RT_PROFILE_ENUM)
#undef RT_PROFILE_ENUM
        RT_PROFILE_COUNT
} rt_profile;

/* The name of a profile, which is static; and the profile of a given name, or RT_PROFILE_COUNT if
 * no profile has that name. */
const char *rt_profile_name(rt_profile profile);
rt_profile rt_profile_find(rt_text name);

#endif
