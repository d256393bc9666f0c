# The analysis against its reference on random interleavings, and deliberate faults, each of which must show.
count=20000
[ -z "${PROP_LONG:-}" ] || count=200000
for cells in 64 4; do
	status=0
	"$build/tests/edc_$cells" $count >"$work/log" || status=$?
	report $status "reference, $cells cells: $(head -1 "$work/log")" "$work/log"
done
for fault in \
	RUN_SECTIONS_NOT_JOINED/64 RUN_LOCKS_ALWAYS_COVER/64 RUN_EVICTION_LOSES_SECTION/4 RUN_CANDIDATE_FOUND_EARLY/64 \
	RUN_OLD_SECTIONS_IGNORED/4 RUN_READ_SECTIONS_EXCLUDE/64 RUN_UNLOCK_KEEPS_EPOCH/64 \
	RUN_DROPPED_LOCK_KEEPS_NODE/64/38501 RUN_STAMPS_REUSED_UNWIPED/4 RUN_NEST_NOT_FOLLOWED/64 \
	RUN_NEST_FORGETS_OLD/4 RUN_NEST_DOES_NOT_RETURN/64/29000 RUN_NEST_NEVER_WITHIN/64; do
	IFS=/ read -r name cells seed <<<"$fault"
	status=0
	# Some make the analysis run in circles: four times what it takes without a fault is enough.
	(ulimit -t 2 && HEDDLE_FAULT=$name exec "$build/tests/edc_$cells" 20000 "${seed:-1}") >"$work/log" 2>&1 || status=$?
	report $([ $status != 0 ] && [ $status != 99 ] && echo 0 || echo 1) "reference, fault $name is detected" "$work/log"
done
# Interleaved: race-free threads, of which nothing may be found, and faults that only show there.  Threads are fibers, so that
# a seed always does the same; limits are rounds and processor time, never the clock.  A few rounds have threads of the kernel.
rounds=2000
[ -z "${PROP_LONG:-}" ] || rounds=200000
status=0
"$build/tests/storm" $rounds 1 2 >"$work/log" || status=$?
report $status "storm: $(head -1 "$work/log")" "$work/log"
status=0
"$build/tests/storm" $((rounds / 10)) 1 4 threads >"$work/log" || status=$?
report $status "storm, in parallel: $(head -1 "$work/log")" "$work/log"
# FAULT/EVERY/SEED: those that show one step after the other, and those that need interleaved threads all the time.  The search for
# a rare one begins shortly before a round that shows it.
for case in \
	RUN_EVICTION_LOSES_SECTION/4 RUN_JUDGES_NEW_CELL/1 RUN_EMPTY_CELL_RACE/1 RUN_WIPE_KEEPS_ACTIONS/1 \
	RUN_WIPE_KEEPS_SECTION/4 RUN_FULL_CELL_RACE/1 RUN_VIEWED_STAMPS_WIPED/1 RUN_ATOMIC_READ_FORGOTTEN/4 \
	RUN_ATOMIC_KNOWN_TO_ALL/4 RUN_COPIES_OLD_EPOCH/100000/8101 RUN_SHOWN_EPOCH_KEPT/100000 RUN_ATOMIC_CELL_NARROWED/1/501 \
	RUN_ODD_ATOMICS_ALONE/4 RUN_ODD_LOADS_FORGOTTEN/1 RUN_LATE_WRITES_NOT_SENT/1 RUN_CONFLICTS_NOT_RECHECKED/1 \
	RUN_LATE_OVERFLOW_KEEPS_ACTIONS/1/1401; do
	IFS=/ read -r fault every seed <<<"$case"
	status=0
	(ulimit -t 120 && HEDDLE_FAULT=$fault exec "$build/tests/storm" 90000 "${seed:-1}" "$every") >"$work/log" 2>&1 || status=$?
	report $([ $status = 1 ] && echo 0 || echo 1) "storm, fault $fault is detected: $(head -1 "$work/log")" "$work/log"
done
programs=8
[ -z "${PROP_LONG:-}" ] || programs=300
status=0
timeout 1200 tests/run_vs_reference/truth 1 $programs >"$work/log" 2>&1 || status=$?
report $status "truth: $(tail -1 "$work/log")" "$work/log"
