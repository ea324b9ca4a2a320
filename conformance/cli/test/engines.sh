#!/bin/sh
# In every scenario, every engine of the simulated device that this processor supports gives the same results as the
# best one: final memories are compared bit for bit, findings with the scenario's expectations.  So do compiled kernels,
# and every scenario also passes with several threads.
#   engines.sh ASSAY SCENARIOS
assay=$1 scenarios=$2
. "$(dirname "$0")/harness.sh"
unset ASSAY_CACHE_DIR

one=$(find "$scenarios" -name '*.yaml' | sort | head -n 1)
columns=sim
engines=
for engine in base v3 v4; do
    "$assay" run "$one" --on "sim{engine=$engine}" >"$folder/out" 2>&1
    if grep -qF "lacks a feature that engine '$engine'" "$folder/out"; then
        echo "not run: sim{engine=$engine}, which this processor lacks"
    else
        columns=$columns,sim{engine=$engine}
        engines="$engines $engine"
    fi
done
columns=$columns,sim{tier=compiled}
expect 0 run "$scenarios" --on "$columns"
passed=$(sed -n 's/^sim: \([0-9]*\) PASS.*/\1/p' "$folder/out")
[ "${passed:-0}" -gt 50 ] || fail "fewer than 50 scenarios passed"
for engine in $engines; do says "sim{engine=$engine}: $passed PASS"; done
says "sim{tier=compiled}: $passed PASS"

expect 0 run "$scenarios" --on sim --threads 3
says "sim: $passed PASS"

expect 2 run "$scenarios" --on 'sim{engine=v5}'
says "unknown engine 'v5'; did you mean"
expect 2 run "$scenarios" --on sim --threads 0
says '--threads'

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
