/* Functions with complex control flow that kernels and the test's C code both run, on numbers that
 * differ between work-items.  NOINLINE keeps calls as calls. */

static int flow_collatz(int i)
{
    int steps = 0;
    uint x = (uint)i + 1;
    while (x != 1 && steps < 200) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        steps++;
    }
    return steps;
}

static int flow_nested(int i)
{
    int sum = 0;
    for (int k = 0; k < (i & 7); k++) {
        if (k & 1) {
            for (int m = 0; m < (i & 3) + k; m++) {
                if (m == 3) break;
                if ((m + i) % 3 == 0) continue;
                sum += m * k;
            }
        } else if (i & 16) {
            sum -= k;
            if (sum < -5) return sum;
        } else {
            sum += 2;
        }
    }
    return sum;
}

static int flow_switch(int i)
{
    int r = 0;
    switch (i % 11) {
    case 0: r = 5; break;
    case 1:
        r = 6;
        /* fall through */
    case 2: r += 7; break;
    case 5:
    case 6: r = i; break;
    case 9: return -1;
    default: r = 100 - i; break;
    }
    return r * 3;
}

static NOINLINE int flow_callee(int a, int b)
{
    if (a > b) return a - b;
    for (int k = 0; k < 5; k++) {
        if (a * k > b) return k;
        a++;
    }
    return a + b;
}

static int flow_calls(int i)
{
    int r = flow_callee(i & 15, 7);
    if (i & 1) {
        r += flow_callee(r, i & 3);
    } else {
        r -= flow_callee(i, r);
    }
    for (int k = 0; k < (i & 3); k++)
        r = flow_callee(r + k, k);
    return r;
}

static int flow_goto(int i)
{
    /* Two entries into one loop: irreducible. */
    int n = 0, x = i;
    if (i & 1) goto middle;
top:
    n += 3;
    x -= 2;
middle:
    n += 1;
    x -= 1;
    if (x > 0 && n < 500) goto top;
    return n * 1000 + x;
}

static int flow_break_value(int i)
{
    /* A uniform counter that lanes take out of the loop at different times. */
    int k = 0;
    for (; k < 40; k++) {
        if (k * k > i) break;
    }
    int kept = k;
    for (int m = 0; m < 3; m++)
        kept += m * k;
    return kept;
}

static int flow_continue(int i)
{
    int sum = 0, k = 0;
    while (k < 12) {
        k++;
        if ((k ^ i) & 1) continue;
        if ((k ^ i) & 2) {
            sum += k;
            continue;
        }
        sum ^= i;
    }
    return sum * 16 + k;
}

static int flow_swap(int i)
{
    /* Phis that swap their values. */
    int a = i, b = 3, c = 7;
    for (int k = 0; k < (i & 15); k++) {
        int t = a;
        a = b;
        b = c;
        c = t + k;
    }
    return a * 100 + b * 10 + c;
}

static int flow_array(int i)
{
    int a[8];
    short s[5];
    for (int k = 0; k < 8; k++)
        a[k] = k * i;
    for (int k = 0; k < 5; k++)
        s[k] = (short)(k - i);
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += a[(k * i) & 7] * s[(k + i) % 5];
    return sum;
}

static int flow_struct(int i)
{
    struct pair {
        char c;
        long l;
        float f[3];
    } p[3];
    for (int k = 0; k < 3; k++) {
        p[k].c = (char)(i + k);
        p[k].l = (long)i * 1000000007L + k;
        for (int m = 0; m < 3; m++)
            p[k].f[m] = (float)(i * m - k);
    }
    struct pair q = p[i % 3];
    p[(i + 1) % 3] = q;
    return (int)(q.c + p[(i + 1) % 3].l % 1000 + (long)p[(i + 2) % 3].f[i % 3]);
}

static int flow_divergent_phi(int i)
{
    /* Uniform values on both sides of a divergent branch. */
    int x;
    if (i % 3 == 0) {
        x = 10;
    } else if (i % 3 == 1) {
        x = 20;
    } else {
        x = 30;
    }
    int y = 0;
    do {
        y += x;
        if (y > 100) {
            y -= 7;
            if (i & 4) break;
        }
    } while (y < 300);
    return y;
}

#define FLOWS(X)                                                                                   \
    X(collatz)                                                                                     \
    X(nested)                                                                                      \
    X(switch)                                                                                      \
    X(calls)                                                                                       \
    X(goto)                                                                                        \
    X(break_value)                                                                                 \
    X(continue)                                                                                    \
    X(swap)                                                                                        \
    X(array)                                                                                       \
    X(struct)                                                                                      \
    X(divergent_phi)
