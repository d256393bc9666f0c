# The C++ driver: what differs from C, and projects of both languages.

cxx() { timeout 90 "$heddle" c++ "$@"; }

cxx_sources() {
	cat > a.cpp <<'C'
#include <iostream>
#include <string>
#include <thread>
extern "C" int helper(int);
int main()
{
	std::string out;
	std::thread([&] { out = std::to_string(helper(41)); }).join();
	std::cout << out << std::endl;
}
C
	echo 'extern int calls; int calls; int helper(int n) { calls++; return n + calls; }' > b.c
}

cxx_compile_and_link() {
	cxx_sources
	cxx -c a.cpp
	has_hooks a.o
	cc -c b.c
	cxx a.o b.o -o prog
	runs ./prog
	ldd prog | grep -q 'libstdc++'
	if ldd prog | grep -q tsan; then die "the compiler's own runtime is linked"; fi
	# Members of std::string are the program's own, so that they have hooks.
	nm -C prog | grep -q ' W std::__cxx11::basic_string<char.*::_M_dispose()'
}

# As the real driver does: a .c file is C++ for it, unless -x says otherwise.
cxx_both_languages() {
	cxx_sources
	sed 's/^extern int calls; int/extern "C" int helper(int); static int/' b.c > c.c
	cxx -Wno-deprecated -O2 a.cpp c.c -o prog
	runs ./prog
	cxx a.cpp -x c b.c -x none -o prog
	runs ./prog
	"$build/heddle-c++" a.cpp -x c b.c -o prog
	runs ./prog
}

cxx_depends() {
	cxx_sources
	cxx -MMD -c a.cpp
	timeout 60 "$HEDDLE_CXX" -MMD -MF theirs -c a.cpp -o a.o
	cmp a.d theirs
	same "$(cxx -E -P a.cpp | tail -3)" "$(timeout 60 "$HEDDLE_CXX" -E -P -U_FORTIFY_SOURCE a.cpp | tail -3)"
}

cxx_refusals() {
	cxx_sources
	local words
	for words in -static-libstdc++ -stdlib=libc++; do
		local status=0
		cxx "$words" a.cpp b.c 2> said || status=$?
		same $status 2
		grep -q "^heddle c++: $words is not possible, because" said
	done
}

cxx_cmake() {
	cp -r "$here/projects/cmake_cxx" source
	timeout 120 cmake -S source -B out -DCMAKE_C_COMPILER="$build/heddle-cc" \
		-DCMAKE_CXX_COMPILER="$build/heddle-c++" -DCMAKE_BUILD_TYPE="$1"
	timeout 120 make -C out VERBOSE=1
	(cd out && timeout 60 ctest --output-on-failure)
	timeout 60 "$heddle" record -q -o trace out/words "two one two" > said
	same "$(cat said)" "one 1, two 2"
	timeout 60 "$heddle" replay -q trace out/words
}

# The questions that an autoconf script asks of CXX, as it asks them.
cxx_configure() {
	export CXX=$1
	echo 'int main() { return 0; }' > conftest.cpp
	timeout 60 $CXX conftest.cpp
	./a.out
	timeout 60 $CXX --version | head -1 | grep -Eq 'g\+\+|clang'
	echo '#include <cstdio>' > conftest.cpp
	timeout 60 $CXX -E conftest.cpp > /dev/null
	if timeout 60 $CXX -c missing.cpp 2> /dev/null; then die "a missing file compiles"; fi
	echo 'int main() { static_assert(sizeof(long) == 8); }' > conftest.cpp
	timeout 60 $CXX -std=gnu++17 -o conftest conftest.cpp -lm
	./conftest
}

for pair in gcc:g++ clang-14:clang++-14; do
	export HEDDLE_CC=${pair%:*} HEDDLE_CXX=${pair#*:}
	test_case "$HEDDLE_CXX: compile, then link" cxx_compile_and_link
	test_case "$HEDDLE_CXX: C and C++ in one command" cxx_both_languages
	test_case "$HEDDLE_CXX: dependencies and preprocessing" cxx_depends
	if [ "$HEDDLE_CC" = gcc ] || in_full; then
		test_case "$HEDDLE_CXX: what is refused" cxx_refusals
	fi
	test_case "$HEDDLE_CXX: CMake project of both languages" cxx_cmake Debug
	test_case "$HEDDLE_CXX: the questions of configure" cxx_configure "$heddle c++"
done
unset HEDDLE_CXX
HEDDLE_CC=gcc
