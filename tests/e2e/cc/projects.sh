# Whole projects, unchanged, with both compilers; their own test suites run without heddle.

build_configure() {
	cp -r "$here/projects/configure" source
	mkdir build
	cd build
	timeout 120 ../source/configure "CC=$1" CFLAGS="$2" --prefix=/opt
	timeout 120 make
	timeout 60 make check
	timeout 60 make install DESTDIR="$PWD/root"
	[ -x root/opt/bin/wordcount ]
}

build_cmake() {
	cp -r "$here/projects/cmake" source
	timeout 120 cmake -S source -B build -DCMAKE_C_COMPILER="$build/heddle-cc" -DCMAKE_BUILD_TYPE="$@"
	timeout 120 make -C build VERBOSE=1
	cd build
	timeout 60 ctest --output-on-failure
}

# CMake looks for the archivers of a tool chain with the prefix of `heddle-cc`.
build_cmake_ipo() {
	build_cmake Release -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
	grep -q 'COMPILER_AR:FILEPATH=.*/heddle-gcc-ar$' CMakeCache.txt
	timeout 60 "$heddle" record -q -o none ./check_cache
}

# Both languages, OpenMP, a static and a shared library, link-time optimisation, warnings as errors.
build_meson() {
	cp -r "$here/projects/meson" source
	CC="$1 cc" CXX="$1 c++" timeout 120 meson setup build source
	timeout 120 ninja -C build
	[ "$(timeout 60 ./build/pairs)" = "55 3" ]
	[ "$(timeout 60 "$heddle" record -q -o none ./build/pairs)" = "55 3" ]
}

build_make() {
	cp -r "$here/projects/make" source
	cd source
	timeout 120 make CC="$1" CFLAGS="$2"
	timeout 60 make CC="$1" CFLAGS="$2" check
	# A second make has nothing to do; a changed header rebuilds what includes it.
	timeout 60 make CC="$1" CFLAGS="$2" -q
	touch -d '+2 seconds' lib/ring.h
	if timeout 60 make CC="$1" CFLAGS="$2" -q; then die "dependencies are not tracked"; fi
}

# Each project with each compiler, and each way to build it once.
for HEDDLE_CC in $compilers; do
	if [ "$HEDDLE_CC" = gcc ] || in_full; then
		test_case "$HEDDLE_CC: configure project, CC with a space" build_configure "$heddle cc" "-O2"
		test_case "$HEDDLE_CC: CMake project, Debug" build_cmake Debug
		test_case "$HEDDLE_CC: make project" build_make "$heddle cc" "-O2"
		test_case "$HEDDLE_CC: CMake project, interprocedural optimisation" build_cmake_ipo
		test_case "$HEDDLE_CC: meson project" build_meson "$heddle"
	fi
	if [ "$HEDDLE_CC" != gcc ] || in_full; then
		test_case "$HEDDLE_CC: configure project, heddle-cc, -O0" build_configure "$build/heddle-cc" "-O0 -g"
		test_case "$HEDDLE_CC: CMake project, Release" build_cmake Release
		test_case "$HEDDLE_CC: make project, -O0" build_make "$heddle cc" "-O0"
	fi
done
HEDDLE_CC=gcc
