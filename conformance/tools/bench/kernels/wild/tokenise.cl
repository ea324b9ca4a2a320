/* A state machine over bytes: counts words, numbers and nested brackets. */
kernel void tokenise(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), state = 0, words = 0, numbers = 0, depth = 0, deepest = 0;
    for (uint k = 0; k < n; k++) {
        uint c = (a[i + k] + b[k] * 3u) & 31u;
        switch (state) {
        case 0:
            if (c < 10) {
                state = 1;
                words++;
            } else if (c < 18) {
                state = 2;
                numbers++;
            } else if (c < 24) {
                depth++;
                deepest = max(deepest, depth);
            } else if (depth > 0) {
                depth--;
            }
            break;
        case 1:
            if (c >= 18) state = c > 28 ? 3 : 0;
            break;
        case 2:
            if (c < 10 || c >= 18) state = 0;
            break;
        default: state = c & 1 ? 3 : 0; break;
        }
    }
    out[i] = words | numbers << 8 | deepest << 16 | state << 24;
}
