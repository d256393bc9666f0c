# Programs that were built for exploration have the same findings, and say once that they are slower.
for name in race hidden example1 no_uaf_dep cockroach queue hard_edges refcount; do
	status=0
	expected=$(sed -n '1s/^\/\/ expect: *//p' "$here/programs/$name.c")
	HEDDLE_QUIET=1 timeout 60 "$heddle" cc -O0 -g -pthread -o "$work/explored" "$here/programs/$name.c" 2>"$work/log"
	timeout 60 "$heddle" run --json "$work/json" "$work/explored" >"$work/log" 2>&1 || true
	[ "$(found "$work/json")" = "$expected" ] && [ "$(grep -c 'built for exploration' "$work/log")" = 1 ] || status=1
	report $status "built for exploration: $name: ${expected:-nothing}" "$work/log"
done

# Confirmation by controlled runs, with a witness that replays; only for programs that can be controlled.
sed 's/turn(1);//; s/done(1);//' "$here/programs/example1.c" >"$work/confirmed.c"
HEDDLE_QUIET=1 timeout 60 "$heddle" cc -I"$here/programs" -O0 -g -pthread -o "$work/confirmed" "$work/confirmed.c"
status=0
(cd "$work" && timeout 120 "$heddle" run --confirm --confirm-time=30 --json json ./confirmed >log 2>&1) || true
[ "$(found "$work/json")" = use-after-free:confirmed ] &&
	(cd "$work" && timeout 60 "$heddle" replay confirmed.witness ./confirmed 2>&1) | grep -q '^use-after-free' || status=1
report $status "confirm: a predicted use after free is shown by its witness" "$work/log"
