__kernel void sobel(__global const int *in, __global int *out, uint n)
{
    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1);
    int gx = 0, gy = 0;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        for (int d = -1; d <= 1; d++) {
            int weight = 2 - abs(d);
            gx += weight * (in[(y + d) * n + x + 1] - in[(y + d) * n + x - 1]);
            gy += weight * (in[(y + 1) * n + x + d] - in[(y - 1) * n + x + d]);
        }
    }
    out[y * n + x] = (int)(abs(gx) + abs(gy));
}
