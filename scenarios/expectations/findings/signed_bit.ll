; The conversion of a bit as a signed number: -1.0 if it is set.
;
; LLVM Language Reference Manual, "sitofp .. to": the operand is a signed integer, and the only
; number of one bit whose bit is set is -1.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"
define spir_func float @convert(i32 %x) {
  %bit = icmp sgt i32 %x, 5
  %float = sitofp i1 %bit to float
  ret float %float
}
