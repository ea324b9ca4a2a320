; An array of two vectors of three: each takes 16 bytes, as an array of vectors of four does.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@three = addrspace(1) constant [2 x <3 x i32>] [<3 x i32> <i32 1, i32 2, i32 3>, <3 x i32> <i32 4, i32 5, i32 6>], align 16
@four = addrspace(1) constant [2 x <4 x i32>] [<4 x i32> <i32 1, i32 2, i32 3, i32 0>, <4 x i32> <i32 4, i32 5, i32 6, i32 0>], align 16
