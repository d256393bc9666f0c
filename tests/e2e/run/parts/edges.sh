# Hand-overs inside of critical sections: what no execution can have is not predicted, and the racy twin is.
edge() {	# edge NAME EXPECTED(ordered|racy) PROGRAM ARGUMENTS...
	local name=$1 expected=$2 status=0
	shift 2
	timeout 120 "$heddle" run --json "$work/json" "$@" >"$work/log" 2>&1 || status=$?
	if [ "$expected" = racy ]; then
		[ $status = 1 ] && found "$work/json" | grep -q '^race:[a-z]*$' && status=0 || status=1
	fi
	[ $status = 0 ] || cases_bad="$cases_bad $name"
	cases=$((cases + 1))
}
for how in "gcc -O0" "clang -O2"; do
	build_one "$here/edges/sections.c" "$work/sections" $how 2>"$work/log" || report 1 "edges: sections.c builds" "$work/log"
	for pattern in helper thread chain before inside; do
		cases=0 cases_bad=
		for twin in ordered racy; do
			# Every lock with one channel, every channel with one lock.
			for what in mutex/sem recursive/sem spin/sem write/sem read/sem mutex/cond mutex/barrier mutex/pipe mutex/socket \
				mutex/atomic mutex/rmw mutex/rwlock; do
				for first in client other; do
					case $pattern/$first/$what in thread/*/mutex/[!s]* | thread/*/mutex/socket | inside/*/barrier | \
						inside/*/mutex/barrier | before/other/* | inside/other/*) continue ;; esac
					edge "$what/$first/$twin" $twin "$work/sections" $pattern "${what#*/}" "${what%/*}" $first $twin
				done
			done
		done
		[ -z "$cases_bad" ] && status=0 || status=1
		report $status "edges, $how: $pattern: $cases hand-overs${cases_bad:+, wrong:$cases_bad}"
	done
done

# Everything that orders two threads, with its racy twin.
for how in "gcc -O0" "clang -O2"; do
	for source in orders.c kernel.c calls.c libc.c orders.cpp; do
		build_one "$here/edges/$source" "$work/orders" $how $([ $source != orders.cpp ] || echo -std=c++20) 2>"$work/log" ||
			report 1 "edges, $how: $source builds" "$work/log"
		cases=0 cases_bad=
		for name in $("$work/orders"); do
			edge "$name" ordered "$work/orders" "$name"
			edge "$name/racy" racy "$work/orders" "$name" racy
		done
		[ -z "$cases_bad" ] && [ $cases -gt 40 ] && status=0 || status=1
		report $status "edges, $how: $source: $cases programs${cases_bad:+, wrong:$cases_bad}"
	done
done
