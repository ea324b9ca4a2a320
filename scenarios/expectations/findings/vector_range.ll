; A call whose result is a vector, of which the optimiser knows that no element is negative.
;
; LLVM Language Reference, "'range' metadata": it may be attached to a call "of integer types", and
; the numbers of each range have the type of the result.  A vector has no such range.
declare <2 x i64> @llvm.abs.v2i64(<2 x i64>, i1)
declare void @use(<2 x i64>)

define internal <2 x i64> @magnitude(<2 x i64> %x) {
  %magnitude = call <2 x i64> @llvm.abs.v2i64(<2 x i64> %x, i1 false)
  ret <2 x i64> %magnitude
}

define void @caller(<2 x i64> %x) {
  %magnitude = call <2 x i64> @magnitude(<2 x i64> %x)
  call void @use(<2 x i64> noundef %magnitude)
  ret void
}
