// Kernels that print, for test_exec_print.c.
#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-security"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void integers(int i, uint u, long l, char c)
{
    printf("%d|%i|%u|%o|%x|%X|%c|%%\n", i, i, u, u, u, u, c);
    printf("%5d|%-5d|%05d|%+d|% d|%.4d|%8.4d\n", i, i, i, -i, -i, i, i);
    printf("%#o|%#x|%#X|%hhd|%hhu|%hd|%hu\n", u, u, u, i - 1000, i - 1000, i - 70000, i - 70000);
    printf("%ld|%lu|%lx|%3c|%-3c|\n", l, l, l, c, c);
}

kernel void floats(float f, double d, half h)
{
    printf("%f|%.2f|%e|%G|%g|%a|%8.3f|%-9.1f|%+.0f|%#.0f\n", f, f, f, f, f, f, f, f, f, f);
    printf("%f|%lf|%.10g|%f\n", d, d, d, h);
    printf("%f|%F|%f|%5.1f|%05.1f\n", INFINITY, -INFINITY, f - f, f, f);
}

kernel void vectors(float4 f, uchar4 b, short2 s, int3 i, ulong2 l, double2 d, half2 h)
{
    printf("%v4hlf|%.1v4hlf|%6.2v4hle\n", f, f, f);
    printf("%v4hhu|%#v4hhx|%v2hd|%v3hld|%v2lu|%2v3hld\n", b, b, s, i, l, i);
    printf("%v2lf|%v2hf\n", d, h);
}

kernel void strings(global int *out)
{
    out[0] = printf("%s|%8s|%-8s|%.2s|%8.3s|", "hello", "hello", "hello", "hello", "hello");
    out[1] = printf("%p|%p\n", out, (global int *)0);
}

// Between barriers, the output of a group is in the order of its work-items, however they ran.
kernel void order(local int *shared)
{
    int i = get_local_id(0);
    shared[i] = i;
    if (i & 1) printf("%d:a ", i);
    for (int k = 0; k < i % 3; k++)
        printf("%d:%d ", i, k);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 2) printf("%d:after %d\n", i, shared[i + 1]);
}

kernel void flood(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = printf("%1000d", (int)i);
}

kernel void excess(int i)
{
    printf("%d\n", i, i, "more");
}

// Every case except the last is undefined.
kernel void wrong(global int *out, int which, long l, float4 f)
{
    int r = 7;
    switch (which) {
    case 0: r = printf("before %d %d\n", which); break;
    case 1: r = printf("%d\n", l); break;
    case 2: r = printf("%ld\n", which); break;
    case 3: r = printf("%f\n", which); break;
    case 4: r = printf("%d\n", f.x); break;
    case 5: r = printf("%s\n", which); break;
    case 6: r = printf("%v4f\n", f); break;
    case 7: r = printf("%v2hlf\n", f); break;
    case 8: r = printf("%v4lf\n", f); break;
    case 9: r = printf("%n\n", out); break;
    case 10: r = printf("%5000d\n", which); break;
    case 11: r = printf("%#d\n", which); break;
    case 12: r = printf("%hld\n", which); break;
    case 13: r = printf("%*d\n", 5, which); break;
    case 14: r = printf("%v5hld\n", f); break;
    case 15: r = printf("100%"); break;
    case 16: r = printf("%lld\n", l); break;
    case 17: r = printf("%s\n", out); break;
    case 18: r = printf("%.3c\n", which); break;
    case 19: r = printf("%f\n", f); break;
    default: r = printf("right %d\n", which); break;
    }
    out[get_global_id(0)] = r;
}

constant char endless[4] = {'a', 'b', 'c', 'd'};
kernel void unterminated(global int *out, int which)
{
    if (which == 0) out[0] = printf("%s\n", endless);
    if (which == 1) out[0] = printf("%.4s\n", endless);
    if (which == 2) out[0] = printf(endless);
    if (which == 3) out[0] = printf("%s\n", (constant char *)0);
}

// The whole output is empty.
kernel void nothing(global int *out)
{
    *out = printf("");
}
