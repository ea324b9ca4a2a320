#!/bin/sh
# Every engine of the simulated device that this processor runs computes what the best one does, in every
# scenario: final memories are compared to the bit, findings with what the scenario expects.  With
# threads, too, every scenario holds.
#   engines.sh ASSAY SCENARIOS
assay=$1 scenarios=$2
. "$(dirname "$0")/harness.sh"
unset ASSAY_CACHE_DIR

columns=sim,sim{engine=base}
flags=$(grep -m1 '^flags' /proc/cpuinfo)
case $flags in *' avx2 '*) columns=$columns,sim{engine=v3} ;; esac
case $flags in *' avx512vl '*) columns=$columns,sim{engine=v4} ;; esac
expect 0 run "$scenarios" --on "$columns"
passed=$(sed -n 's/^sim: \([0-9]*\) PASS.*/\1/p' "$folder/out")
[ "${passed:-0}" -gt 50 ] || fail "fewer than 50 scenarios passed"
says "sim{engine=base}: $passed PASS"
case $flags in *' avx2 '*) says "sim{engine=v3}: $passed PASS" ;; esac
case $flags in *' avx512vl '*) says "sim{engine=v4}: $passed PASS" ;; esac

expect 0 run "$scenarios" --on sim --threads 3
says "sim: $passed PASS"

expect 2 run "$scenarios" --on 'sim{engine=v5}'
says "there is no engine 'v5'; did you mean"
expect 2 run "$scenarios" --on sim --threads 0
says '--threads'

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
