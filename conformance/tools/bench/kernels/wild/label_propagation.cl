/* A round of label propagation on rows of neighbours of unequal length: each node takes its smallest neighbour. */
kernel void label_propagation(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    uint least = b[i], degree = a[i] % n;
    for (uint k = 0; k < degree; k++) {
        uint to = (i * 31 + a[(i + k * 17) % size] * 97) % size;
        if (b[to] < least) least = b[to];
    }
    out[i] = least;
}
