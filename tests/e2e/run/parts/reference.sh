# The analysis against its reference on random interleavings, and deliberate faults, each of which must show.
count=20000
[ -z "${PROP_LONG:-}" ] || count=200000
for cells in 64 4; do
	status=0
	timeout 600 "$build/tests/edc_$cells" $count >"$tmp/log" || status=$?
	report $status "reference, $cells cells: $(head -1 "$tmp/log")" "$tmp/log"
done
for fault in 1/64 2/64 3/4 4/64 5/4 6/64 7/64 8/64/38501 9/4; do
	IFS=/ read -r number cells seed <<<"$fault"
	status=0
	# Some make the analysis run in circles.
	timeout 10 "$build/tests/edc_$cells" 20000 "${seed:-1}" "$number" >"$tmp/log" 2>&1 || status=$?
	report $([ $status != 0 ] && echo 0 || echo 1) "reference, fault $number is noticed" "$tmp/log"
done
# In parallel: race-free threads, of which nothing may be found, and faults that only show there.
rounds=1000
[ -z "${PROP_LONG:-}" ] || rounds=20000
status=0
timeout 600 "$build/tests/storm" $rounds >"$tmp/log" || status=$?
report $status "storm: $(head -1 "$tmp/log")" "$tmp/log"
for fault in 3 10 11 12 13 14 15 16; do
	status=0
	timeout 120 "$build/tests/storm" 20000 1 $fault >"$tmp/log" || status=$?
	report $([ $status = 1 ] && echo 0 || echo 1) "storm, fault $fault is noticed: $(head -1 "$tmp/log")" "$tmp/log"
done
programs=8
[ -z "${PROP_LONG:-}" ] || programs=300
status=0
timeout 1200 tests/run/truth 1 $programs >"$tmp/log" 2>&1 || status=$?
report $status "truth: $(tail -1 "$tmp/log")" "$tmp/log"
