/* For each place in the text, counts how many letters match before the first one that differs from
 * the pattern. */
__kernel void search(__global const char *text, __global const char *pattern, __global uint *fits, uint length)
{
    uint i = (uint)get_global_id(0), k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    fits[i] = k;
}
