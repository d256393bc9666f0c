# Random race-free programs in parallel: none may report anything.  A process has 40 of them, so that every thread gets a
# slot of its own.
processes=6
[ -z "${PROP_LONG:-}" ] || processes=250
for how in "gcc -O0" "clang -O2"; do
	status=0
	build_one "$here/stress/sweep.c" "$tmp/sweep" $how 2>"$tmp/log" || status=1
	for ((i = 0; i < processes && status == 0; i++)); do
		timeout 60 "$heddle" run "$tmp/sweep" $((i * 40 + 1)) 40 >"$tmp/log" 2>&1 || status=$?
	done
	report $status "sweep, $how: $((processes * 40)) race-free programs" "$tmp/log"
done
