; The address of the third of four numbers, computed in bytes, as an initial value.
target triple = "spir64"
@numbers = internal addrspace(2) constant [4 x i32] [i32 2, i32 3, i32 5, i32 7]
@third = addrspace(2) constant ptr addrspace(2) getelementptr (i8, ptr addrspace(2) @numbers, i64 8)
