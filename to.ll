; ModuleID = 't.ll'
source_filename = "t.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64"

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @parts(i64 addrspace(1)* noundef %0, <16 x i64> addrspace(1)* noundef %1, i32 addrspace(1)* noundef %2) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 {
  %4 = addrspacecast i64 addrspace(1)* %0 to i64 addrspace(4)*
  %5 = call spir_func <3 x i64> @_Z6vload3mPU3AS4Km(i64 noundef 0, i64 addrspace(4)* noundef %4) #2
  %6 = extractelement <3 x i64> %5, i64 2
  %7 = trunc i64 %6 to i32
  store i32 %7, i32 addrspace(1)* %2, align 4, !tbaa !9
  %8 = extractelement <3 x i64> %5, i64 1
  %9 = lshr i64 %8, 32
  %10 = trunc i64 %9 to i32
  %11 = and i32 %10, 65535
  %12 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 1
  store i32 %11, i32 addrspace(1)* %12, align 4, !tbaa !9
  %13 = lshr i64 %6, 40
  %14 = trunc i64 %13 to i32
  %15 = and i32 %14, 255
  %16 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 2
  store i32 %15, i32 addrspace(1)* %16, align 4, !tbaa !9
  %17 = bitcast <16 x i64> addrspace(1)* %1 to <32 x i32> addrspace(1)*
  %18 = load <32 x i32>, <32 x i32> addrspace(1)* %17, align 128
  %19 = extractelement <32 x i32> %18, i64 30
  %20 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 3
  store i32 %19, i32 addrspace(1)* %20, align 4, !tbaa !9
  %21 = load <32 x i32>, <32 x i32> addrspace(1)* %17, align 128
  %22 = extractelement <32 x i32> %21, i64 10
  %23 = lshr i32 %22, 16
  %24 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 4
  store i32 %23, i32 addrspace(1)* %24, align 4, !tbaa !9
  %25 = load <16 x i64>, <16 x i64> addrspace(1)* %1, align 128
  %26 = extractelement <16 x i64> %25, i64 11
  %27 = lshr i64 %26, 40
  %28 = trunc i64 %27 to i32
  %29 = and i32 %28, 255
  %30 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 5
  store i32 %29, i32 addrspace(1)* %30, align 4, !tbaa !9
  %31 = load <16 x i64>, <16 x i64> addrspace(1)* %1, align 128, !tbaa !13
  %32 = add <16 x i64> %31, <i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 3, i64 poison, i64 3, i64 poison, i64 poison, i64 poison, i64 3, i64 poison, i64 poison>
  %33 = bitcast <16 x i64> %32 to <32 x i32>
  %34 = extractelement <32 x i32> %33, i64 14
  %35 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 6
  store i32 %34, i32 addrspace(1)* %35, align 4, !tbaa !9
  %36 = bitcast <16 x i64> %32 to <64 x i16>
  %37 = extractelement <64 x i16> %36, i64 36
  %38 = zext i16 %37 to i32
  %39 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 7
  store i32 %38, i32 addrspace(1)* %39, align 4, !tbaa !9
  %40 = extractelement <32 x i32> %33, i64 26
  %41 = lshr i32 %40, 16
  %42 = and i32 %41, 255
  %43 = getelementptr inbounds i32, i32 addrspace(1)* %2, i64 8
  store i32 %42, i32 addrspace(1)* %43, align 4, !tbaa !9
  ret void
}

; Function Attrs: convergent nounwind readonly willreturn
declare dso_local spir_func <3 x i64> @_Z6vload3mPU3AS4Km(i64 noundef, i64 addrspace(4)* noundef) #1

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "min-legal-vector-width"="192" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { convergent nounwind readonly willreturn "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { convergent nounwind readonly willreturn }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!opencl.spir.version = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"Debian clang version 14.0.6"}
!4 = !{i32 1, i32 1, i32 1}
!5 = !{!"none", !"none", !"none"}
!6 = !{!"ulong*", !"ulong16*", !"uint*"}
!7 = !{!"ulong*", !"ulong __attribute__((ext_vector_type(16)))*", !"uint*"}
!8 = !{!"const", !"const", !""}
!9 = !{!10, !10, i64 0}
!10 = !{!"int", !11, i64 0}
!11 = !{!"omnipotent char", !12, i64 0}
!12 = !{!"Simple C/C++ TBAA"}
!13 = !{!11, !11, i64 0}
