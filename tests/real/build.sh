# SPDX-License-Identifier: Apache-2.0
# Builds a program of tests/real/programs with ThreadSanitizer and for `heddle run`; for tests/real/online and suites.
# Needs $cache and $build.
#   build_for tsan|run     in the directory of the row, whose file has been read: makes online.WAY/source and sets $source
# Both use clang-19.

export PATH="$build:$PATH" HEDDLE_QUIET=1
export CFLAGS="-O1 -g" CXXFLAGS="-O1 -g -Wno-reserved-user-defined-literal"

# Compilers by one name, for builds that do not take a command.
make_compilers() {
	local folder=$cache/compilers
	mkdir -p "$folder/tsan" "$folder/run"
	compiler_script "$folder/tsan/cc" "clang-19 -fsanitize=thread"
	compiler_script "$folder/tsan/c++" "clang++-19 -fsanitize=thread"
	compiler_script "$folder/run/cc" "env HEDDLE_CC=clang-19 $build/heddle cc --for=run"
	compiler_script "$folder/run/c++" "env HEDDLE_CXX=clang++-19 $build/heddle c++ --for=run"
}

# A new script replaces the old one at once: another test may be using it.
compiler_script() {
	printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$1.$$"
	chmod +x "$1.$$"
	mv "$1.$$" "$1"
}

build_for() {
	local way=$1 made=$PWD/online.$1 mark=built
	[ "$way" = tsan ] || mark=built.$(md5sum <"$build/libheddle_run.a" | cut -c1-12)
	source=$made/source
	[ ! -e "$made/$mark" ] || return 0
	rm -rf "$made"
	mkdir "$made"
	ln -s "$PWD/download" "$made/download"
	unpack "$made"
	export CC_PATH=$cache/compilers/$way/cc CXX_PATH=$cache/compilers/$way/c++
	(cd "$source" && CC=$CC_PATH CXX=$CXX_PATH && export CC CXX && TSAN_OPTIONS=report_bugs=0 build) \
		>"$made/build.log" 2>&1 </dev/null ||
		{ echo "does not build for $way: $(grep -m1 'rror' "$made/build.log")"; return 1; }
	: >"$made/$mark"
}
