; The upper 24 bits of a 64-bit number, extended with its sign and masked with 32 bits.
;
; LLVM Language Reference, "ashr": the bits that are shifted in are copies of the sign, so the result
; for a negative number has ones above bit 23.  PTX ISA, "bfe": bfe.u64 fills with zeros what lies
; above the number's end.
target triple = "nvptx64-nvidia-cuda"

define i64 @upper(i64 %x) {
  %shifted = ashr i64 %x, 40
  %masked = and i64 %shifted, 4294967295
  ret i64 %masked
}
