/* Wilson's interval for a proportion, with 95 % confidence. */
#ifndef CONFORMANCE_VERDICT_INTERVAL_H
#define CONFORMANCE_VERDICT_INTERVAL_H

#include <stdint.h>

typedef struct cnf_interval {
    double low, high; /* from 0 to 1 */
} cnf_interval;

/* The interval that contains the rate of failures, given that `failed` of `total` attempts failed;
 * 0 to 1 if there was no attempt. Source: E. B. Wilson, Probable Inference, the Law of Succession,
 * and Statistical Inference, Journal of the American Statistical Association 22 (1927), 209-212. */
cnf_interval cnf_interval_of(uint64_t failed, uint64_t total);

#endif
