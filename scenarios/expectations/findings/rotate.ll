; A 64-bit rotation by an amount that is not a constant, compiled for NVPTX.
;
; LLVM Language Reference, "llvm.fshl.*": the amount is taken modulo the width, so a rotation by -1
; is one by 63.  PTX ISA, "shl" and "shr": an amount above the width is not reduced but clamped to
; the width, so every shift by 64 or more gives 0.  The generated code therefore has to reduce the
; amount, as `and.b64 …, 63` would.
target triple = "nvptx64-nvidia-cuda"
declare i64 @llvm.fshl.i64(i64, i64, i64)

define i64 @rotate(i64 %x, i64 %amount) {
  %r = call i64 @llvm.fshl.i64(i64 %x, i64 %x, i64 %amount)
  ret i64 %r
}
