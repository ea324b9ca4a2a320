/* Collisions of a D2Q9 lattice fluid: nine private densities with constant indices. */
#pragma OPENCL FP_CONTRACT OFF
constant float weight[9] = {0.4444444f, 0.1111111f, 0.1111111f, 0.1111111f, 0.1111111f,
                            0.0277778f, 0.0277778f, 0.0277778f, 0.0277778f};
constant float along_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constant float along_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
kernel void lattice_boltzmann(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    float f[9], omega = 0.6f;
    for (uint k = 0; k < 9; k++)
        f[k] = weight[k] * (2.0f + a[(i + k * 17) % size] + 0.1f * b[i]);
    for (uint step = 0; step < n; step++) {
        float rho = 0.0f, u = 0.0f, v = 0.0f;
        for (uint k = 0; k < 9; k++) {
            rho += f[k];
            u += f[k] * along_x[k];
            v += f[k] * along_y[k];
        }
        u /= rho;
        v /= rho;
        float square = 1.5f * (u * u + v * v);
        for (uint k = 0; k < 9; k++) {
            float e = 3.0f * (along_x[k] * u + along_y[k] * v);
            float balance = weight[k] * rho * (1.0f + e + 0.5f * e * e - square);
            f[k] += omega * (balance - f[k]);
        }
    }
    float sum = 0.0f;
    for (uint k = 0; k < 9; k++)
        sum += (float)(k + 1) * f[k];
    out[i] = sum;
}
