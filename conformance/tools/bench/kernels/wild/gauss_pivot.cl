/* Solves an 8 x 8 system in private memory with pivoting: rows are exchanged by index. */
#pragma OPENCL FP_CONTRACT OFF
kernel void gauss_pivot(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), order[8];
    float m[8][9];
    for (uint y = 0; y < 8; y++) {
        order[y] = y;
        for (uint x = 0; x < 8; x++)
            m[y][x] = a[(i * 7 + y * 8 + x) % 4096] + ((x * 3 + i) % 8 == y ? 9.0f + (float)y : 0.0f);
        m[y][8] = b[(i + y) % 4096];
    }
    for (uint k = 0; k < n; k++) {
        uint best = k;
        for (uint y = k + 1; y < 8; y++)
            if (fabs(m[order[y]][k]) > fabs(m[order[best]][k])) best = y;
        uint t = order[k];
        order[k] = order[best];
        order[best] = t;
        for (uint y = k + 1; y < 8; y++) {
            float factor = m[order[y]][k] / m[order[k]][k];
            for (uint x = k; x < 9; x++)
                m[order[y]][x] -= factor * m[order[k]][x];
        }
    }
    float solution[8], sum = 0.0f;
    for (uint k = 8; k-- > 0;) {
        float v = m[order[k]][8];
        for (uint x = k + 1; x < 8; x++)
            v -= m[order[k]][x] * solution[x];
        solution[k] = v / m[order[k]][k];
        sum += solution[k];
    }
    out[i] = sum;
}
