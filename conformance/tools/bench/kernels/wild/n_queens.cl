/* Counts the solutions of the queens problem below a given first row: backtracking with a private
 * stack of positions. */
kernel void n_queens(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), solutions = 0;
    uint column[12], row = 2;
    column[0] = (i + (a[i] & 3)) % n;
    column[1] = (i / n + (b[i] & 1)) % n;
    uint apart = column[0] > column[1] ? column[0] - column[1] : column[1] - column[0];
    if (apart > 1) {
        column[2] = 0;
        while (row >= 2) {
            if (column[row] >= n) {
                row--;
                column[row]++;
                continue;
            }
            bool is_safe = true;
            for (uint k = 0; k < row && is_safe; k++) {
                uint c = column[k], d = column[row];
                is_safe = c != d && (c > d ? c - d : d - c) != row - k;
            }
            if (!is_safe) {
                column[row]++;
            } else if (row + 1 == n) {
                solutions++;
                column[row]++;
            } else {
                column[++row] = 0;
            }
        }
    }
    out[i] = solutions;
}
