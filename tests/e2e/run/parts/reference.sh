# The analysis against its reference on random interleavings, and deliberate faults, each of which must show.
count=20000
[ -z "${PROP_LONG:-}" ] || count=200000
for cells in 64 4; do
	status=0
	"$build/tests/edc_$cells" $count >"$work/log" || status=$?
	report $status "reference, $cells cells: $(head -1 "$work/log")" "$work/log"
done
for fault in 1/64 2/64 3/4 4/64 5/4 6/64 7/64 8/64/38501 9/4 250/64 251/4 252/64/29000 253/64; do
	IFS=/ read -r number cells seed <<<"$fault"
	status=0
	# Some make the analysis run in circles: four times what it takes without a fault is enough.
	(ulimit -t 2 && exec "$build/tests/edc_$cells" 20000 "${seed:-1}" "$number") >"$work/log" 2>&1 || status=$?
	report $([ $status != 0 ] && echo 0 || echo 1) "reference, fault $number is detected" "$work/log"
done
# Interleaved: race-free threads, of which nothing may be found, and faults that only show there.  Threads are fibers, so that
# a seed always does the same; limits are rounds and processor time, never the clock.  A few rounds have threads of the kernel.
rounds=2000
[ -z "${PROP_LONG:-}" ] || rounds=200000
status=0
"$build/tests/storm" $rounds 1 0 2 >"$work/log" || status=$?
report $status "storm: $(head -1 "$work/log")" "$work/log"
status=0
"$build/tests/storm" $((rounds / 10)) 1 0 4 threads >"$work/log" || status=$?
report $status "storm, in parallel: $(head -1 "$work/log")" "$work/log"
# FAULT/EVERY/SEED: those that show one step after the other, and those that need interleaved threads all the time.
for case in 3/4 10/1 11/1 12/1 13/4 14/1 15/1 16/4 17/100000/7320 18/100000 19/1 21/4 22/1 23/1 24/1 25/1; do
	IFS=/ read -r fault every seed <<<"$case"
	status=0
	(ulimit -t 120 && exec "$build/tests/storm" 90000 "${seed:-1}" "$fault" "$every") >"$work/log" 2>&1 || status=$?
	report $([ $status = 1 ] && echo 0 || echo 1) "storm, fault $fault is detected: $(head -1 "$work/log")" "$work/log"
done
programs=8
[ -z "${PROP_LONG:-}" ] || programs=300
status=0
timeout 1200 tests/run_vs_reference/truth 1 $programs >"$work/log" 2>&1 || status=$?
report $status "truth: $(tail -1 "$work/log")" "$work/log"
