; A table of pointers in global memory for NVPTX, both local to the module.
;
; The pass rel-lookup-table-converter, part of the default pipelines at -O1 and above, replaces such a
; table with one of offsets, as if it were in the default address space.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@numbers = internal unnamed_addr addrspace(1) constant [2 x i32] [i32 3, i32 5]
@pointers = internal unnamed_addr addrspace(1) constant [2 x i32 addrspace(1)*]
  [i32 addrspace(1)* getelementptr ([2 x i32], [2 x i32] addrspace(1)* @numbers, i64 0, i64 0),
   i32 addrspace(1)* getelementptr ([2 x i32], [2 x i32] addrspace(1)* @numbers, i64 0, i64 1)]
define i32 @follow(i64 %i) {
  %slot = getelementptr [2 x i32 addrspace(1)*], [2 x i32 addrspace(1)*] addrspace(1)* @pointers, i64 0, i64 %i
  %pointer = load i32 addrspace(1)*, i32 addrspace(1)* addrspace(1)* %slot
  %value = load i32, i32 addrspace(1)* %pointer
  ret i32 %value
}
