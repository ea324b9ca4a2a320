/* Each iteration uses the conversion of the previous one, which comes later in the code; it must
 * saturate. */
kernel void follow(global const float *in, global char *out)
{
    char last = 7;
    for (uint i = 0; i < 4; i++) {
        out[i] = last;
        last = convert_char_sat(in[i]);
    }
}
