# Sourced at the start of the scripts in this folder, after they have set `assay`: a temporary folder, and functions
# that run the program and check its output.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export ASSAY_CACHE_DIR="$folder/cache" NO_COLOR=1
failures=0

# fail TEXT [FILE]: counts a failure and shows the last output, or the file.
fail() {
    echo "$1"
    shown=${2:-$folder/out}
    [ -f "$shown" ] && cat "$shown"
    failures=$((failures + 1))
}

# expect STATUS WORDS...: runs assay with the words and checks its exit status; its output is in $folder/out.
expect() {
    wanted=$1
    shift
    "$assay" "$@" >"$folder/out" 2>&1
    status=$?
    [ $status -eq "$wanted" ] || fail "assay $*: exit status $status, expected $wanted"
}

# says TEXT [FILE]: checks that the last output, or the file, contains the text.
says() {
    grep -qF -e "$1" "${2:-$folder/out}" || fail "missing from the output: $1" "${2:-}"
}
