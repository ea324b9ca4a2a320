/* Makes eight private vectors of eight elements orthogonal. */
#pragma OPENCL FP_CONTRACT OFF
kernel void gram_schmidt(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float v[8][8], trace = 0.0f;
    for (uint y = 0; y < 8; y++)
        for (uint x = 0; x < 8; x++)
            v[y][x] = a[(i + y * 8 + x) % 4096] + (x == y ? 5.0f : 0.0f) + b[x];
    for (uint y = 0; y < n; y++) {
        for (uint k = 0; k < y; k++) {
            float dot = 0.0f;
            for (uint x = 0; x < 8; x++)
                dot += v[y][x] * v[k][x];
            for (uint x = 0; x < 8; x++)
                v[y][x] -= dot * v[k][x];
        }
        float norm = 0.0f;
        for (uint x = 0; x < 8; x++)
            norm += v[y][x] * v[y][x];
        norm = 1.0f / sqrt(norm);
        for (uint x = 0; x < 8; x++)
            v[y][x] *= norm;
        trace += v[y][y];
    }
    out[i] = trace;
}
