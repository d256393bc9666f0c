# Random race-free programs in parallel: none may report anything.  A process has 40 of them, so that every thread gets a
# slot of its own.
processes=6
[ -z "${PROP_LONG:-}" ] || processes=250
for how in "gcc -O0" "clang -O2"; do
	status=0
	build_one "$here/stress/sweep.c" "$work/sweep" $how 2>"$work/log" || status=1
	for ((i = 0; i < processes && status == 0; i++)); do
		timeout 60 "$heddle" run "$work/sweep" $((i * 40 + 1)) 40 >"$work/log" 2>&1 || status=$?
	done
	report $status "sweep, $how: $((processes * 40)) race-free programs" "$work/log"
done
