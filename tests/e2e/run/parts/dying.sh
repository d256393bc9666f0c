# Crashes, aborts and the end of the time: the finding, its place, and what every other thread does.
others="T1 waits for semaphore ticket
holds()
T2 waits for mutex shelf, which T1 holds
waits()
T3 waits for condition variable filled
sleeps()
T4 is here
reads()
T5 is here
turn
T1 holds mutex shelf (acquired"
dies() {	# dies NAME STATUS HEADLINE PLACE [OPTION...]: PLACE is the end of the function in which it dies
	local name=$1 status=0 wanted=$2 headline=$3 place=$4 missing=
	shift 4
	timeout 300 "$heddle" run "$@" --json "$work/json" "$dying" "$name" >"$work/log" 2>&1 || status=$?
	[ $status = "$wanted" ] || missing="status $status instead of $wanted"
	grep -qxF -- "$headline" "$work/log" || missing="$missing, no headline '$headline'"
	[ -z "$place" ] || sed -n '1,/^      /p' "$work/log" | grep -qF -- "      $place() " || missing="$missing, not in $place"
	[ "$name" = child ] || while IFS= read -r line; do
		grep -qF -- "$line" "$work/log" || missing="$missing, no '$line'"
	done <<<"$others"
	result "dying, $level: $name" "$missing" "$work/log"
}
for level in gcc-O0 clang-O2; do
	dying=$work/dying-$level
	build_one "$here/edges/dying.c" "$dying" "${level%-*}" "-${level#*-}" 2>"$work/log" || report 1 "dying.c builds" "$work/log"
	dies null 1 "crash: the program was killed by SIGSEGV for an access to address 0x18" ''
	grep -q "T0 'main' crashes here" "$work/log" && grep -q 'die() .*dying.c:[0-9]\|main() .*dying.c' "$work/log" && status=0 || status=1
	report $status "dying, $level: the place of the crash" "$work/log"
	dies library 1 "crash: the program was killed by SIGSEGV for an access to address 0x0" ''
	dies nowhere 1 "crash: the program was killed by SIGSEGV for an access to address 0x10" ''
	dies abort 1 "abort: the program called abort()" ''
	dies overflow 1 "stack-overflow: the stack of T6 overflowed" deep
	dies hang 4 "timeout: the program still ran when its time was up" '' --timeout=5
	compare "dying, $level: the timeout is in JSON" "timeout:observed" "$(found "$work/json")"
done
dying=$work/dying-gcc-O0 level=gcc-O0
dies impossible 1 "crash: the program was killed by SIGSEGV for an access to an address that no memory can have" die
dies division 1 "crash: the program was killed by SIGFPE" die
dies sent 1 "crash: the program was killed by SIGBUS, which was sent by a call" die
dies default 1 "crash: the program was killed by SIGSEGV for an access to address 0x20" die
dies child 1 "abort: the program called abort()" main
status=0
timeout 60 "$heddle" run "$dying" recover >"$work/log" 2>&1 || status=$?
result "dying: a signal that is handled is no crash" "$([ $status = 0 ] && [ ! -s "$work/log" ] || echo "status $status")" "$work/log"
echo 'crash:^die$' >"$work/suppressions"
status=0
timeout 60 "$heddle" run --suppressions="$work/suppressions" "$dying" null >"$work/log" 2>&1 || status=$?
result "dying: suppressed by its function, it ends as without heddle" \
	"$([ $status = 139 ] && grep -q '1 suppressed' "$work/log" || echo "status $status")" "$work/log"
# A crash of the shell's kind of child: the signal is what the parent sees.
status=0
timeout 60 "$heddle" run --exit-status=0 "$dying" abort >"$work/log" 2>&1 || status=$?
compare "dying: the signal stays the same" 134 $status "$work/log"
for kind in thread-leaks:leaked signal-checks:unsafe_handler; do
	program=$work/${kind#*:}-gcc-O0
	[ -e "$program" ] || build_one "$here/programs/${kind#*:}.c" "$program" gcc -O0
	status=0
	timeout 60 "$heddle" run "--no-${kind%:*}" "$program" >"$work/log" 2>&1 || status=$?
	compare "--no-${kind%:*}" "0" "$status" "$work/log"
done
