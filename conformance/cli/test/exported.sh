# Shared by the scripts about exported programs. Source it after harness.sh, with `scenarios` set.

# exported_agrees SUBJECT API SCENARIO VERDICT STATUS COMMAND...: checks assay's verdict on the
# subject, and the exit status of the program exported for the API, which COMMAND runs in its folder.
exported_agrees() {
    subject=$1 api=$2 scenario=$3 verdict=$4 wanted_end=$5
    shift 5
    name=$(basename "$scenario" .yaml)
    "$assay" run "$scenarios/$scenario" --on "$subject" >"$folder/out" 2>&1
    says "$subject: $verdict"
    expect 0 export "$scenarios/$scenario" --for "$api" -o "$folder/$name"
    make -s -C "$folder/$name" main CFLAGS="-Wall -Wextra -Werror" >"$folder/out" 2>&1 ||
        fail "the program of $scenario does not compile"
    (cd "$folder/$name" && "$@") >"$folder/out" 2>&1
    status=$?
    [ $status -eq "$wanted_end" ] ||
        fail "the program of $scenario on $subject: exit status $status, expected $wanted_end"
}
