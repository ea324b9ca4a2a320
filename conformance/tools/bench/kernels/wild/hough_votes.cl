/* Votes for lines through points, with integer angles: scattered global atomics. */
kernel void hough_votes(global const uint *a, global const int *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0);
    int x = (int)(a[i] & 63), y = (int)(a[i] >> 6 & 63);
    if (a[i] % 3 == 0) return;
    for (uint k = 0; k < n; k++) {
        int rho = (x * (b[k] - 500) + y * (b[k + n] - 500)) / 1000 + 128;
        atomic_inc(&out[k * 256 + (uint)clamp(rho, 0, 255)]);
    }
}
