/* How many letters of the pattern fit at each place of the text. */
__kernel void search(__global const char *text, __global const char *pattern, __global uint *fits, uint length)
{
    uint i = (uint)get_global_id(0), k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    fits[i] = k;
}
