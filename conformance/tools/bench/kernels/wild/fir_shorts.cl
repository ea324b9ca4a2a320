/* A filter of 16-bit samples with saturation. */
kernel void fir_shorts(global const short *a, global const short *b, global short *out, uint n)
{
    uint i = (uint)get_global_id(0);
    int sum = 0;
    for (uint k = 0; k < n; k++)
        sum += (int)a[i + k] * (int)b[k] >> 4;
    out[i] = (short)clamp(sum >> 8, -32768, 32767);
}
