; The address of a variable in global memory as a generic pointer in an initial value.
target triple = "spir64"
@numbers = internal addrspace(1) global [4 x i32] [i32 2, i32 3, i32 5, i32 7]
@pointer = addrspace(2) constant ptr addrspace(4) addrspacecast (ptr addrspace(1) @numbers to ptr addrspace(4))
