; A variable in global memory whose name in SPIR-V contains a slash, and which the host may find by
; that name (SPV_INTEL_global_variable_host_access). A kernel adds to it.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

@"a/b" = dso_local addrspace(1) global i32 0, align 4, !spirv.Decorations !1

define spir_kernel void @add() {
  %old = load i32, i32 addrspace(1)* @"a/b", align 4
  %new = add i32 %old, 1
  store i32 %new, i32 addrspace(1)* @"a/b", align 4
  ret void
}

!opencl.ocl.version = !{!0}
!opencl.spir.version = !{!0}
!0 = !{i32 2, i32 0}
!1 = !{!2}
!2 = !{i32 6147, i32 2, !"a/b"}
