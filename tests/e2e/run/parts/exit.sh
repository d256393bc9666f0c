# The end of the process with other threads alive: what they still do is seen, and nobody waits for those that cannot go on.
# Waits are set far above what is needed or far above what the test may take, so that no check depends on the load.
build_one "$here/edges/leave.c" "$work/leave" gcc -O1 2>"$work/log" || report 1 "exit: leave.c builds" "$work/log"
leave() {	# leave NAME EXPECTED-STATUS OPTIONS MODE
	local status=0
	timeout 300 "$heddle" run $3 --json "$work/json" "$work/leave" "$4" >"$work/log" 2>&1 || status=$?
	[ $status = "$2" ] && status=0 || { echo "status $status instead of $2" >>"$work/log"; status=1; }
	report $status "exit: $1" "$work/log"
}
leave "an access after main has returned is a race" 1 --exit-wait=200000 late
leave "the same if another thread ends the process" 1 --exit-wait=200000 exit
leave "a thread that waits for a semaphore is not waited for" 7 --exit-wait=1000000 blocked
leave "nor one that reads from an empty pipe" 7 --exit-wait=1000000 reading
leave "a thread that never ends is left alone after the time that was set" 7 --exit-wait=20 spinning
leave "a main thread that has left by pthread_exit is not waited for" 7 --exit-wait=1000000 last
leave "a race after the main thread has left" 1 --exit-wait=1000 race
grep -q "racer() .*leave.c:[0-9]" "$work/log" && ! grep -q "an unknown place" "$work/log" && status=0 || status=1
report $status "exit: its places are known" "$work/log"
status=0
HEDDLE_OPTIONS=atexit_sleep_ms=0 timeout 300 "$heddle" run "$work/leave" spinning >"$work/log" 2>&1 || status=$?
report $([ $status = 7 ] && echo 0 || echo 1) "exit: no wait by atexit_sleep_ms=0" "$work/log"
status=0
timeout 60 "$build/tests/meet" >"$work/log" || status=$?
report $status "meet: a free and a use find each other wherever they meet: $(tail -1 "$work/log")" "$work/log"
HEDDLE_FAULT=RUN_FREE_NOT_RECHECKED timeout 60 "$build/tests/meet" >"$work/log" && status=1 || status=0
report $status "meet, fault RUN_FREE_NOT_RECHECKED is detected: $(tail -1 "$work/log")" "$work/log"
