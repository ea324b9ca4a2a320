/* Functions of libclc 14 for NVPTX that do not follow OpenCL C. All but narrow() are evaluated by
 * the compiler, so their results are constants in the generated LLVM IR.
 *
 * at_pole: OpenCL C, "Additional Requirements Beyond C99 TC2": lgamma_r stores 0 as the sign at -1.
 * narrow: OpenCL C, "Out-of-Range Behavior and Saturated Conversions": NaN becomes 0. An fptosi of
 * NaN is undefined ("poison") by the LLVM Language Reference, so NaN needs a comparison.
 * towards_zero, down: OpenCL C, "Rounding Modes": 2147483647 lies between the floats 2147483520 and
 * 2147483648, so both conversions give 2147483520 (0x41DFFFFFE0000000 as LLVM prints it).
 * fract_infinite: OpenCL C, "Additional Requirements Beyond C99 TC2": -0 (LLVM prints
 * -0.000000e+00).
 * least_magnitude: OpenCL C, "Integer Functions": the result is unsigned, so it is 0x80000000, which
 * LLVM prints as -2147483648.
 * half_down, half_up: OpenCL C, "vstore_half": the mode is applied, so a number between 0 and the
 * smallest half rounds to that half (1), or its negative (0x8001, which is -32767 as an i16). */
int at_pole(void)
{
    int sign;
    lgamma_r(-1.0f, &sign);
    return sign;
}

char narrow(double x)
{
    return convert_char_sat_rte(x);
}

float towards_zero(void)
{
    return convert_float_rtz(2147483647);
}

float down(void)
{
    return convert_float_rtn(2147483647);
}

float fract_infinite(void)
{
    float whole;
    return fract(-INFINITY, &whole);
}

/* Clang's header declares these only for targets with named address spaces. */
void __attribute__((overloadable)) vstore_half_rtn(float value, size_t offset, private half *to);
void __attribute__((overloadable)) vstore_half_rtp(float value, size_t offset, private half *to);

ushort half_down(void)
{
    ushort stored;
    vstore_half_rtn(-1e-9f, 0, (private half *)&stored);
    return stored;
}

ushort half_up(void)
{
    ushort stored;
    vstore_half_rtp(1e-9f, 0, (private half *)&stored);
    return stored;
}

uint least_magnitude(void)
{
    return abs((int)0x80000000);
}
