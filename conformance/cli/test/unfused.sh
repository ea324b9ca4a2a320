#!/bin/sh
# Tests the oracle of kernel fusion, sim{fusion=off}: it runs the same list kernel by kernel, and its final memories are
# compared with those of the fused run.
#   unfused.sh ASSAY
assay=$1
. "$(dirname "$0")/harness.sh"

# scenario NAME KERNEL: writes a list of two kernels that run group after group; KERNEL is the second.
scenario() {
    cat >"$folder/$1.yaml" <<END
assay: 1
summary: The second kernel reports how many work-items of the first it has observed.
modules:
  app:
    sources:
      - language: opencl-c
        code: |
          kernel void count(global int *counter) { atomic_inc(counter); }
          kernel void tell(global int *counter, global int *out) { out[get_global_id(0)] = $2; }
memory:
  counter: {type: int, values: [0]}
  out: {type: int, count: 8}
  tmp: {type: int, values: [3], promote: private}
steps:
  - queue: {id: q, properties: [enable_fusion]}
  - start_fusion: q
  - submit: {queue: q, kernel: count, range: [8], local: [2], args: [counter]}
  - submit: {queue: q, kernel: tell, range: [8], local: [2], args: [counter, {write: out}]}
  - complete_fusion: q
  - expect: {launches: 1, trace: [{event: fuse}]}
  - expect: {memory: counter, equals: [8]}
END
}

# A group that counts all groups of the kernel before it depends on groups that fusion runs later.
scenario depends 'atomic_add(counter, 0)'
scenario independent '7 * (int)get_global_id(0)'
expect 1 run "$folder/depends.yaml" --on 'sim,sim{fusion=off}'
says "sim: 1 PASS"
says "sim{fusion=off}: 0 PASS, 0 SKIP, 0 XFAIL, 1 FAIL"
says "out"
expect 0 run --matrix "$folder/independent.yaml" --on 'sim,sim{fusion=off}'
says "unobserved: launch, trace"
expect 0 run "$folder/independent.yaml" --on 'sim,sim{schedule=backward,fusion=off}'
expect 0 run "$folder/independent.yaml" --on 'sim{fusion=on}'
expect 2 run "$folder/independent.yaml" --on 'sim{fusion=offf}'
says "unknown fusion 'offf'; did you mean 'off'?"

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
