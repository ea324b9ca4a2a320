/* Specialisation constants of every size, as SYCL's compiler declares them, by id and default
 * value. */

bool __attribute__((overloadable)) __spirv_SpecConstant(int id, bool value);
char __attribute__((overloadable)) __spirv_SpecConstant(int id, char value);
short __attribute__((overloadable)) __spirv_SpecConstant(int id, short value);
int __attribute__((overloadable)) __spirv_SpecConstant(int id, int value);
long __attribute__((overloadable)) __spirv_SpecConstant(int id, long value);
float __attribute__((overloadable)) __spirv_SpecConstant(int id, float value);

kernel void constants(global long *out)
{
    out[0] = __spirv_SpecConstant(10, (bool)true) ? 1 : 0;
    out[1] = __spirv_SpecConstant(11, (char)-2);
    out[2] = __spirv_SpecConstant(12, (short)-300);
    out[3] = __spirv_SpecConstant(13, (int)70000);
    out[4] = __spirv_SpecConstant(14, (long)5000000000);
    out[5] = (long)(__spirv_SpecConstant(15, (float)2.5f) * 4.0f);
}
