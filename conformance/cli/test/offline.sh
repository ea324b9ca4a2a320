#!/bin/sh
# Tests the hidden command assay offline NAME, with which a subject's driver compiles ahead of time: it writes a program's
# binary, and a refusal with its code.
#   offline.sh ASSAY MODULES    the folder has apply.spv, which imports a function, and twice.spv, which defines it
assay=$1 modules=$2
. "$(dirname "$0")/harness.sh"

# An image with imports becomes a compiled program; as a whole program it is refused.
expect 0 offline sim --object <"$modules/apply.spv"
says ASIM
expect 1 offline sim <"$modules/apply.spv"
says 'assay: offline: link-error imported but not defined: twice'
expect 0 offline sim <"$modules/kernels.spv"
says ASIM

# What is not SPIR-V, a subject without a driver, and one that does not exist.
printf junk >"$folder/junk"
expect 1 offline sim --object <"$folder/junk"
says 'assay: offline: malformed'
expect 3 offline dpcpp <"$modules/apply.spv"
says 'usage: assay offline NAME'
expect 3 offline nothing <"$modules/apply.spv"
says 'usage: assay offline NAME'

# What a tool made of the SPIR-V precedes it.
(printf junk; cat "$modules/kernels.spv") >"$folder/translated"
expect 0 offline sim --translation 4 <"$folder/translated"
says ASIM
expect 3 offline sim --translation 99999999 <"$folder/translated"
expect 3 offline sim --translation some <"$folder/translated"
says 'usage: assay offline NAME'

# Without a name it is the simulated device's own offline compiler.
expect 0 offline <"$modules/twice.spv"
says ASIM

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
