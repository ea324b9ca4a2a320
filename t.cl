kernel void parts(global const ulong *in, global const ulong16 *in16, global uint *out) {
  ulong3 three = vload3(0, in);
  out[0] = (uint)three.z;
  out[1] = (ushort)(three.y >> 32);
  out[2] = (uchar)(three.z >> 40);
  out[3] = (uint)in16[0].sf;
  out[4] = (ushort)(in16[0].s5 >> 16);
  out[5] = (uchar)(in16[0].sb >> 40);
  ulong16 more = in16[0] + 3;
  out[6] = (uint)more.s7;
  out[7] = (ushort)more.s9;
  out[8] = (uchar)(more.sd >> 16);
}
