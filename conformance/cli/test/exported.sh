# Shared by the scripts about exported programs. Source it after harness.sh, with `scenarios` set.

# exported_agrees SUBJECT API LIBRARY SCENARIO VERDICT STATUS COMMAND...: checks assay's verdict on the
# subject, and the exit status of the program exported for the API, which COMMAND runs in its folder.
exported_agrees() {
    subject=$1 api=$2 library=$3 scenario=$4 verdict=$5 wanted_end=$6
    shift 6
    name=$(basename "$scenario" .yaml)
    "$assay" run "$scenarios/$scenario" --on "$subject" >"$folder/out" 2>&1
    says "$subject: $verdict"
    expect 0 export "$scenarios/$scenario" --for "$api" -o "$folder/$name"
    make -s -C "$folder/$name" main LIBRARY="-l:$library" CFLAGS="-Wall -Wextra -Werror" >"$folder/out" 2>&1 ||
        fail "the program of $scenario does not compile"
    (cd "$folder/$name" && "$@") >"$folder/out" 2>&1
    status=$?
    [ $status -eq "$wanted_end" ] ||
        fail "the program of $scenario on $subject: exit status $status, expected $wanted_end"
}
