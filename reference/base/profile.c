/* Names of the profiles. */
#include "reference/base/profile.h"

static const char *const profile_names[] = {
#define RT_PROFILE_NAME(profile, name) name,
    RT_PROFILES(RT_PROFILE_NAME)
#undef RT_PROFILE_NAME
};

_Static_assert(sizeof profile_names / sizeof *profile_names == RT_PROFILE_COUNT, "a name for each");

const char *rt_profile_name(rt_profile profile)
{
    CHECK((unsigned)profile < RT_PROFILE_COUNT);
    return profile_names[profile];
}

rt_profile rt_profile_find(rt_text name)
{
    for (int i = 0; i < RT_PROFILE_COUNT; i++) {
        if (rt_text_is(name, profile_names[i])) return (rt_profile)i;
    }
    return RT_PROFILE_COUNT;
}
