/* Functions of libclc 14 for NVPTX that do not follow OpenCL C, without assay and without a GPU.
 *
 *     clang-14 -target nvptx64-nvidia-cuda -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -O2 \
 *         -Xclang -mlink-builtin-bitcode -Xclang /usr/lib/clc/nvptx64--nvidiacl.bc \
 *         -S -emit-llvm libclc_edges.cl -o -
 *
 * sign() of -1 becomes a constant, 1; OpenCL C, "Additional Requirements Beyond C99 TC2", requires
 * 0. narrow() ends in an fptosi of a possible NaN, whose result the LLVM Language Reference leaves
 * undefined ("poison"); OpenCL C, "Out-of-Range Behavior and Saturated Conversions", requires 0. */
int sign(void)
{
    int at_pole;
    lgamma_r(-1.0f, &at_pole);
    return at_pole;
}

char narrow(double x)
{
    return convert_char_sat_rte(x);
}
