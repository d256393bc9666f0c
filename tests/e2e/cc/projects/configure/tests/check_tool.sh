# The tool's output does not depend on the number of threads.
set -eu
for n in 1 2 5; do
	got=$(printf 'a bc def\nghij\n\nklmno pq\n' | ./wordcount $n)
	[ "$got" = "6 words, longest 5, mean 2.83" ] || { echo "wordcount $n: $got"; exit 1; }
done
echo "wordcount: all passed"
