#!/bin/sh
# assay new, doctor, manual and completion, from the command line.
# Usage: authoring.sh ASSAY
set -eu
assay=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

expect() { # status, arguments
    wanted=$1
    shift
    status=0
    "$assay" "$@" >out 2>&1 || status=$?
    [ $status = "$wanted" ] || { echo "assay $*: status $status, not $wanted"; cat out; exit 1; }
}
says() { grep -qF -- "$1" out || { echo "missing from the output: $1"; cat out; exit 1; }; }

for feature in linking device_global virtual_functions fusion; do
    expect 0 new $feature $feature
    expect 0 fmt --check $feature.yaml
    expect 0 run $feature.yaml --on sim
    says "sim: 1 PASS"
done
expect 0 new sycl in_sycl.yaml
expect 0 check in_sycl.yaml
expect 0 fmt --check in_sycl.yaml
"$assay" doctor >machine || true
if ! grep -q 'which compiles SYCL sources' machine; then
    expect 0 run in_sycl.yaml --on sim
    says "sim: 1 PASS"
fi
cp linking.yaml before
expect 2 new fusion linking
says "choose another name"
cmp linking.yaml before
expect 2 new linkin other
says "did you mean 'linking'?"
expect 2 new linking
expect 2 new linking none/other
says "No such file"

# What is drawn from a seed is a formatted scenario that passes, also after something was left out.
for words in "kernel 1" "program 1" "program 1 --without 1,3"; do
    expect 0 generate $words
    cp out drawn.yaml
    expect 0 fmt --check drawn.yaml
    expect 0 run drawn.yaml --on sim
    says "sim: 1 PASS"
done
expect 0 generate program 1 --units
grep -qx '[1-9][0-9]*' out
expect 2 generate programs 1
says "did you mean 'program'?"
expect 2 generate program one
says "the seed 'one' is not a number"
expect 2 generate program 1 --without 0
says "not a list of numbers from 1"

# If PATH has no programs, doctor reports missing tools; if the cache folder cannot be created, an error.
status=0
env PATH=/none "$assay" doctor >out 2>&1 || status=$?
says "missing: dot, for explain --svg"
says "    remedy: apt-get install graphviz"
# One command installs all packages, whatever their purpose, and each remedy is printed once.
grep -q '^in one command: apt-get install .*graphviz' out || { cat out; exit 1; }
[ "$(grep -c '^in one command: ' out)" = 1 ]
[ -z "$(grep '^    remedy: ' out | sort | uniq -d)" ] || { echo "a remedy is printed twice"; cat out; exit 1; }
mkdir closed
: >closed/file
status=0
env ASSAY_CACHE_DIR=closed/file/cache "$assay" doctor >out 2>&1 || status=$?
[ $status = 1 ] || { echo "doctor: status $status, not 1"; cat out; exit 1; }
says "wrong: "
says "set ASSAY_CACHE_DIR"
head -n 1 out | grep -q '^wrong: ' || { echo "errors are not printed first"; cat out; exit 1; }

# The manual page and the completion scripts have every command and option of the help.
"$assay" manual >page
"$assay" completion >script
"$assay" completion bash | cmp - script
bash -n script
"$assay" completion zsh >_assay
"$assay" completion fish >assay.fish
expect 2 completion powershell
says "completion: unknown shell 'powershell'; expected one of: bash, zsh, fish"
expect 2 completion zsh fish
for command in $("$assay" --help | awk '/^  [a-z]+ / && $1 != "assay" {print $1}'); do
    grep -q "^.SS assay $command " page || { echo "not in the manual: $command"; exit 1; }
    for option in $("$assay" $command --help | grep -oE '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        grep -E "^        $command\) " script | grep -q -- "$option" || { echo "not completed: $command $option"; exit 1; }
        grep -q -- "'\*$option\[\|'\*$option=" _assay || { echo "zsh: not completed: $option"; exit 1; }
        grep -q -- "from $command' -l ${option#--} " assay.fish || { echo "fish: not completed: $command $option"; exit 1; }
    done
done
# completes EXPECTED WORDS...: completes the last of the words in bash.
completes() {
    wanted=$1
    shift
    words=$(bash -c 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; echo "${COMPREPLY[@]}"' bash "$@")
    [ "$words" = "$wanted" ] || { echo "$*: completed: $words, not $wanted"; exit 1; }
}
completes run assay ru
completes --junit assay run --jun
completes "pocl pocl-source" assay run --on po
completes "sim,intel-cpu" assay run --on sim,intel-c
completes "sim,intel-cpu" assay run --on = sim,intel-c
completes "spirv,bitcode" assay pack --formats spirv,b
completes DL-RESOLVE-09 assay run --rule DL-RESOLVE-09
completes dpcpp assay why x.yaml dpc
completes zsh assay completion zs
PATH=$(dirname "$assay"):$PATH
zsh -n _assay
words=$(fish -c 'source assay.fish; complete -C "assay run --on sim,intel-c"')
[ "${words%%	*}" = sim,intel-cpu ] || { echo "fish completed: $words"; exit 1; }
cat >pty.zsh <<'PTY'
zmodload zsh/zpty
zpty shell 'zsh -f -i'
zpty -w shell 'PROMPT=; autoload -U compinit; compinit -u -D; source ./_assay; bindkey "^I" complete-word; print loa""ded'
zpty -r -m shell shown '*loaded*'
zpty -w -n shell $'assay run --on sim,intel-c\t\C-a print -- \n'
zpty -r -m shell shown '*sim,intel-cpu*' && print completed
PTY
words=$(timeout 60 zsh -f pty.zsh)
[ "$words" = completed ] || { echo "zsh completed: $words"; exit 1; }
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
    MANPAGER=cat man --warnings -l page >out 2>warnings
    [ ! -s warnings ] || { cat warnings; exit 1; }
    says "run [PATH"
fi

# By default, only output to a terminal is coloured.
expect 0 run linking.yaml --on sim
if grep -q "$(printf '\033')" out; then echo "coloured although stdout is not a terminal"; exit 1; fi
coloured() { grep -q "$(printf '\033\[3')" out; }
expect 0 run linking.yaml --on sim --color always
coloured || { echo "--color always: not coloured"; exit 1; }
expect 0 run linking.yaml --on sim --color=auto
! coloured || { echo "--color auto: coloured although stdout is not a terminal"; exit 1; }
expect 2 run linking.yaml --on sim --color sometimes
says "--color sometimes: expected auto, always or never"
if command -v script >/dev/null; then
    script -qec "$assay run linking.yaml --on sim" /dev/null >out </dev/null
    grep -q "$(printf '\033\[3')" out || { echo "not coloured on a terminal"; cat out; exit 1; }
    NO_COLOR=1 script -qec "$assay run linking.yaml --on sim" /dev/null >out </dev/null
    if grep -q "$(printf '\033\[3')" out; then echo "coloured despite NO_COLOR"; exit 1; fi
    NO_COLOR= script -qec "$assay run linking.yaml --on sim" /dev/null >out </dev/null
    coloured || { echo "an empty NO_COLOR disabled colours"; exit 1; }
    script -qec "$assay run linking.yaml --on sim --color never" /dev/null >out </dev/null
    ! coloured || { echo "--color never: coloured"; exit 1; }
    NO_COLOR=1 script -qec "$assay run linking.yaml --on sim --color always" /dev/null >out </dev/null
    coloured || { echo "NO_COLOR overrode --color always"; exit 1; }
fi
