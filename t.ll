; ModuleID = 't.cl'
source_filename = "t.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64"

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @parts(i64 addrspace(1)* noundef %0, <16 x i64> addrspace(1)* noundef %1, i32 addrspace(1)* noundef %2) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 {
  %4 = alloca i64 addrspace(1)*, align 8
  %5 = alloca <16 x i64> addrspace(1)*, align 8
  %6 = alloca i32 addrspace(1)*, align 8
  %7 = alloca <3 x i64>, align 32
  %8 = alloca <16 x i64>, align 128
  store i64 addrspace(1)* %0, i64 addrspace(1)** %4, align 8, !tbaa !9
  store <16 x i64> addrspace(1)* %1, <16 x i64> addrspace(1)** %5, align 8, !tbaa !9
  store i32 addrspace(1)* %2, i32 addrspace(1)** %6, align 8, !tbaa !9
  %9 = bitcast <3 x i64>* %7 to i8*
  call void @llvm.lifetime.start.p0i8(i64 32, i8* %9) #3
  %10 = load i64 addrspace(1)*, i64 addrspace(1)** %4, align 8, !tbaa !9
  %11 = addrspacecast i64 addrspace(1)* %10 to i64 addrspace(4)*
  %12 = call spir_func <3 x i64> @_Z6vload3mPU3AS4Km(i64 noundef 0, i64 addrspace(4)* noundef %11) #4
  %13 = shufflevector <3 x i64> %12, <3 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 undef>
  %14 = bitcast <3 x i64>* %7 to <4 x i64>*
  store <4 x i64> %13, <4 x i64>* %14, align 32, !tbaa !13
  %15 = load <3 x i64>, <3 x i64>* %7, align 32
  %16 = extractelement <3 x i64> %15, i64 2
  %17 = trunc i64 %16 to i32
  %18 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %19 = getelementptr inbounds i32, i32 addrspace(1)* %18, i64 0
  store i32 %17, i32 addrspace(1)* %19, align 4, !tbaa !14
  %20 = load <3 x i64>, <3 x i64>* %7, align 32
  %21 = extractelement <3 x i64> %20, i64 1
  %22 = lshr i64 %21, 32
  %23 = trunc i64 %22 to i16
  %24 = zext i16 %23 to i32
  %25 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %26 = getelementptr inbounds i32, i32 addrspace(1)* %25, i64 1
  store i32 %24, i32 addrspace(1)* %26, align 4, !tbaa !14
  %27 = load <3 x i64>, <3 x i64>* %7, align 32
  %28 = extractelement <3 x i64> %27, i64 2
  %29 = lshr i64 %28, 40
  %30 = trunc i64 %29 to i8
  %31 = zext i8 %30 to i32
  %32 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %33 = getelementptr inbounds i32, i32 addrspace(1)* %32, i64 2
  store i32 %31, i32 addrspace(1)* %33, align 4, !tbaa !14
  %34 = load <16 x i64> addrspace(1)*, <16 x i64> addrspace(1)** %5, align 8, !tbaa !9
  %35 = getelementptr inbounds <16 x i64>, <16 x i64> addrspace(1)* %34, i64 0
  %36 = load <16 x i64>, <16 x i64> addrspace(1)* %35, align 128
  %37 = extractelement <16 x i64> %36, i64 15
  %38 = trunc i64 %37 to i32
  %39 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %40 = getelementptr inbounds i32, i32 addrspace(1)* %39, i64 3
  store i32 %38, i32 addrspace(1)* %40, align 4, !tbaa !14
  %41 = load <16 x i64> addrspace(1)*, <16 x i64> addrspace(1)** %5, align 8, !tbaa !9
  %42 = getelementptr inbounds <16 x i64>, <16 x i64> addrspace(1)* %41, i64 0
  %43 = load <16 x i64>, <16 x i64> addrspace(1)* %42, align 128
  %44 = extractelement <16 x i64> %43, i64 5
  %45 = lshr i64 %44, 16
  %46 = trunc i64 %45 to i16
  %47 = zext i16 %46 to i32
  %48 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %49 = getelementptr inbounds i32, i32 addrspace(1)* %48, i64 4
  store i32 %47, i32 addrspace(1)* %49, align 4, !tbaa !14
  %50 = load <16 x i64> addrspace(1)*, <16 x i64> addrspace(1)** %5, align 8, !tbaa !9
  %51 = getelementptr inbounds <16 x i64>, <16 x i64> addrspace(1)* %50, i64 0
  %52 = load <16 x i64>, <16 x i64> addrspace(1)* %51, align 128
  %53 = extractelement <16 x i64> %52, i64 11
  %54 = lshr i64 %53, 40
  %55 = trunc i64 %54 to i8
  %56 = zext i8 %55 to i32
  %57 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %58 = getelementptr inbounds i32, i32 addrspace(1)* %57, i64 5
  store i32 %56, i32 addrspace(1)* %58, align 4, !tbaa !14
  %59 = bitcast <16 x i64>* %8 to i8*
  call void @llvm.lifetime.start.p0i8(i64 128, i8* %59) #3
  %60 = load <16 x i64> addrspace(1)*, <16 x i64> addrspace(1)** %5, align 8, !tbaa !9
  %61 = getelementptr inbounds <16 x i64>, <16 x i64> addrspace(1)* %60, i64 0
  %62 = load <16 x i64>, <16 x i64> addrspace(1)* %61, align 128, !tbaa !13
  %63 = add <16 x i64> %62, <i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3>
  store <16 x i64> %63, <16 x i64>* %8, align 128, !tbaa !13
  %64 = load <16 x i64>, <16 x i64>* %8, align 128
  %65 = extractelement <16 x i64> %64, i64 7
  %66 = trunc i64 %65 to i32
  %67 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %68 = getelementptr inbounds i32, i32 addrspace(1)* %67, i64 6
  store i32 %66, i32 addrspace(1)* %68, align 4, !tbaa !14
  %69 = load <16 x i64>, <16 x i64>* %8, align 128
  %70 = extractelement <16 x i64> %69, i64 9
  %71 = trunc i64 %70 to i16
  %72 = zext i16 %71 to i32
  %73 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %74 = getelementptr inbounds i32, i32 addrspace(1)* %73, i64 7
  store i32 %72, i32 addrspace(1)* %74, align 4, !tbaa !14
  %75 = load <16 x i64>, <16 x i64>* %8, align 128
  %76 = extractelement <16 x i64> %75, i64 13
  %77 = lshr i64 %76, 16
  %78 = trunc i64 %77 to i8
  %79 = zext i8 %78 to i32
  %80 = load i32 addrspace(1)*, i32 addrspace(1)** %6, align 8, !tbaa !9
  %81 = getelementptr inbounds i32, i32 addrspace(1)* %80, i64 8
  store i32 %79, i32 addrspace(1)* %81, align 4, !tbaa !14
  %82 = bitcast <16 x i64>* %8 to i8*
  call void @llvm.lifetime.end.p0i8(i64 128, i8* %82) #3
  %83 = bitcast <3 x i64>* %7 to i8*
  call void @llvm.lifetime.end.p0i8(i64 32, i8* %83) #3
  ret void
}

; Function Attrs: argmemonly nofree nosync nounwind willreturn
declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture) #1

; Function Attrs: convergent nounwind readonly willreturn
declare dso_local spir_func <3 x i64> @_Z6vload3mPU3AS4Km(i64 noundef, i64 addrspace(4)* noundef) #2

; Function Attrs: argmemonly nofree nosync nounwind willreturn
declare void @llvm.lifetime.end.p0i8(i64 immarg, i8* nocapture) #1

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "min-legal-vector-width"="192" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { argmemonly nofree nosync nounwind willreturn }
attributes #2 = { convergent nounwind readonly willreturn "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { nounwind }
attributes #4 = { convergent nounwind readonly willreturn }

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
!10 = !{!"any pointer", !11, i64 0}
!11 = !{!"omnipotent char", !12, i64 0}
!12 = !{!"Simple C/C++ TBAA"}
!13 = !{!11, !11, i64 0}
!14 = !{!15, !15, i64 0}
!15 = !{!"int", !11, i64 0}
