/* The cosine transform of rows and columns of 8 x 8 bytes, for each group in local memory. */
#pragma OPENCL FP_CONTRACT OFF
kernel void dct_rows(global const uchar *a, global const float *b, global float *out, uint n)
{
    local float tile[8][9], half_way[8][9];
    uint l = (uint)get_local_id(0), x = l & 7, y = l >> 3;
    for (uint block = 0; block < n; block++) {
        uint at = ((uint)get_group_id(0) * n + block) * 64 + l;
        tile[y][x] = (float)a[at] - 128.0f + b[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = 0.0f;
        for (uint k = 0; k < 8; k++)
            sum += tile[y][k] * cos((2.0f * (float)k + 1.0f) * (float)x * 0.19634954f);
        half_way[y][x] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = 0.0f;
        for (uint k = 0; k < 8; k++)
            sum += half_way[k][x] * cos((2.0f * (float)k + 1.0f) * (float)y * 0.19634954f);
        out[at] = 0.25f * sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
