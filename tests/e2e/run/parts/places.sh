# What a report says of blocks and threads: the program's own call of `new`, and names that threads get later.
line=$(grep -n '// allocated' "$here/edges/places.cpp" | cut -d: -f1)
for how in "gcc -O0" "clang -O2"; do
	build_one "$here/edges/places.cpp" "$work/places" $how 2>"$work/log" || report 1 "places, $how: builds" "$work/log"
	timeout 60 "$heddle" run "$work/places" >"$work/log" 2>&1 && status=1 || status=0
	grep -A1 "allocated its 16 bytes here" "$work/log" | grep -q "main() .*places.cpp:$line" || status=1
	report $status "places, $how: a block from new has the place of the program's call" "$work/log"
	grep -q "T[12] 'reader' was created" "$work/log" && grep -q "T[12] 'writer' was created" "$work/log" && status=0 || status=1
	report $status "places, $how: threads have the names that they got after they began" "$work/log"
done
