# Sourced by scripts before anything else: with -h or --help, prints the comment that the script begins with, and ends.
case "${1:-}" in
    -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
