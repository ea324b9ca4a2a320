/* Wilson's interval; see interval.h. */
#include "conformance/verdict/interval.h"

#include "reference/base/check.h"

#include <math.h>

cnf_interval cnf_interval_of(uint64_t failed, uint64_t total)
{
    CHECK(failed <= total);
    if (total == 0) return (cnf_interval){0, 1};
    const double z = 1.959963984540054; /* the 97.5th percentile of the normal distribution */
    const double n = (double)total, rate = (double)failed / n;
    const double centre = rate + z * z / (2 * n);
    const double spread = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n));
    const double scale = 1 + z * z / n;
    /* At 0 and n the exact ends are 0 and 1, which rounding could miss. */
    return (cnf_interval){failed == 0 ? 0 : (centre - spread) / scale,
                          failed == total ? 1 : (centre + spread) / scale};
}
