; A kernel with a parameter of one bit, for fuse_kernels.c.
target triple = "spir64"
define spir_kernel void @pick(i32 addrspace(1)* %out, i1 zeroext %is_set) {
  %value = select i1 %is_set, i32 7, i32 3
  store i32 %value, i32 addrspace(1)* %out
  ret void
}
