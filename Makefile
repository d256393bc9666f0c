# heddle: one Makefile, no recursion.  `make help` lists the targets.
#
#   B=dir      where to build (default build); every variant has a directory of its own
#   CC=clang   compiler of the tool; the runtime is always built by RT_CC
#   MODE=      release (default), dev, asan
#   RT_FROM=dir  take the runtimes from another build directory, for a variant that differs in the tool alone
#   V=1        show the commands
#   SUITE=     the test suites to run: names or patterns; SUITE=list prints all names

B     ?= build
MODE  ?= release
CC    := $(if $(filter default,$(origin CC)),gcc,$(CC))
RT_CC ?= $(CC)

WARN  := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wpointer-arith -Wwrite-strings
MODE_release := -O2 -g
MODE_dev     := -O0 -g
MODE_asan    := -O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all
CFLAGS_TOOL  := -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -I$(B)/gen $(WARN) $(MODE_$(MODE)) -MMD -MP
LIBS_TOOL    := -lzstd -ldw -lelf -lZydis -lpicosat -lm
ifeq ($(MODE)-$(findstring clang,$(CC)),asan-clang)
# By itself only gcc has one copy of the sanitizers' runtime for all programs.
LIBS_TOOL    += -shared-libsan -Wl,-rpath,$(shell $(CC) -print-resource-dir)/lib/linux
endif

# Tests with sanitizers move millions of events through these.
ifeq ($(MODE),asan)
$(addprefix $(B)/obj/,base/%.o trace/%.o exec/%.o): CFLAGS_TOOL += -O1
endif

# The runtime lives inside other people's programs: no sanitizer, no builtin that becomes a libc call.
CFLAGS_RT := -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -I$(B)/gen -I$(B)/rt $(WARN) -O2 -g -fno-builtin -fno-stack-protector -ffreestanding -D__NO_INLINE__ \
	-fvisibility=hidden -fno-omit-frame-pointer -fPIC -ftls-model=initial-exec -mno-avx -mcx16 -fcf-protection=none \
	-fno-delete-null-pointer-checks -fno-tree-slp-vectorize \
	$(if $(findstring clang,$(RT_CC)),-Wno-pointer-bool-conversion,-fno-reorder-functions -fno-tree-loop-distribute-patterns -Wno-nonnull-compare) -MMD -MP

LAYERS   := base binary ir interp commute trace oracle exec explore predict cc report drive prediction check cmd
TOOL_SRC := $(foreach d,$(LAYERS),$(wildcard src/$(d)/*.c src/$(d)/*/*.c))
LIB_OBJ  := $(patsubst src/%.c,$(B)/obj/%.o,$(filter-out src/cmd/main.c,$(TOOL_SRC)))
RT_SRC   := $(wildcard src/rt/*.c src/rt/*.S)
RT_OBJ   := $(patsubst src/%,$(B)/%.o,$(RT_SRC))
RUN_OBJ  := $(patsubst src/%.c,$(B)/%.o,$(wildcard src/run/*.c))
UNIT     := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
TESTBIN  := $(patsubst tests/lib/%.c,$(B)/tests/%,$(wildcard tests/lib/*.c)) \
	$(patsubst tests/harness/%.c,$(B)/drive/%,$(wildcard tests/harness/*.c))

# LLVM's C interface, which only src/bitcode uses; without it heddle-bitcode is not built, and what needs it says so.
LLVM     ?= /usr/lib/llvm-19
BITCODE  := $(if $(wildcard $(LLVM)/include/llvm-c/Core.h),$(B)/heddle-bitcode)

.PHONY: all help deps deps-test deps-bench deps-real demo test test-long test-real quick build-quick build-sanitized build-clang unit testbin bench check man install \
	uninstall clean
.SUFFIXES:
$(V).SILENT:

OWN_HEADERS := $(patsubst include/%,$(B)/include/%,$(wildcard include/heddle/*.h))
# Other names of the tool (src/cmd/main.c).
LINKS := $(addprefix $(B)/heddle-,cc c++ gcc-ar gcc-ranlib llvm-ar llvm-ranlib)
all: $(B)/heddle $(BITCODE) $(LINKS) $(B)/libheddle_rt.a $(B)/libheddle_run.a $(B)/libheddle_run.so $(B)/libheddle_omp.a $(B)/libstdc++/bits/c++config.h $(OWN_HEADERS) $(B)/heddle_gdb.py

help:
	@echo 'make            build build/heddle'
	@echo 'make demo       install what is missing, build, and show in a minute what heddle is for'
	@echo 'make test       install what is missing, build, run all tests (12 minutes at most)'
	@echo 'make test SUITE=NAME  only these suites (names or patterns); SUITE=list prints the names, tests/README.md explains them'
	@echo 'make test-long  the same with larger sweeps (many hours on two idle cores)'
	@echo 'make test-real  Debian'\''s sources of real programs, recorded and replayed, and under heddle run, with their own tests; needs the network'
	@echo 'make quick      build and the tests that fit into a minute'
	@echo 'make bench      costs, against the uninstrumented program and ThreadSanitizer'
	@echo 'make man        manual pages in build/man'
	@echo 'make install    into PREFIX (default /usr/local), below DESTDIR if given; make uninstall takes it away'
	@echo 'make check      static rules: layers, headers, sizes, runtime imports and exports'

# What is linked of a list of objects is linked again when the list has changed, also if a source was only removed or renamed:
# the list of the last build is a file, which is written anew if it differs.
# $(call members,NAME,OBJECTS)
define members
MEMBERS_$(1) := $$(B)/gen/members/$(1)
ifneq ($$(strip $$(file <$$(B)/gen/members/$(1))),$$(strip $(2)))
$$(MEMBERS_$(1)): changed
endif
$$(MEMBERS_$(1)):
	mkdir -p $$(@D)
	echo '$$(strip $(2))' >$$@
endef
.PHONY: changed
$(eval $(call members,tool,$$(LIB_OBJ)))
$(eval $(call members,rt,$$(RT_OBJ)))
$(eval $(call members,run,$$(RUN_OBJ)))
TEST_SRC := $(wildcard $(patsubst %,tests/%/*.c,check_vs_reference explore_vs_dfs fuzz interp_vs_native oracle run_vs_reference run_vs_reference/core))
$(eval $(call members,tests,$$(TEST_SRC)))

$(B)/heddle: $(B)/obj/cmd/main.o $(LIB_OBJ) $(MEMBERS_tool)
	@echo "  LINK $@"
	$(CC) $(MODE_$(MODE)) -o $@ $(B)/obj/cmd/main.o $(LIB_OBJ) $(LIBS_TOOL)

$(LINKS): $(B)/heddle
	ln -sf heddle $@

# gdb loads it from beside the tool.
$(B)/heddle_gdb.py: src/gdb/heddle_gdb.py
	@mkdir -p $(@D)
	cp $< $@

# Programs under test include them without -I.
$(B)/include/heddle/%: include/heddle/%
	@mkdir -p $(@D)
	cp $< $@

$(B)/libstdc++/%: include/libstdc++/%
	@mkdir -p $(@D)
	cp $< $@

$(B)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(CC) $(CFLAGS_TOOL) -c -o $@ $<

# The texts are part of it; one that is missing ends the build.
FINDING_KINDS := $(shell sed -n 's/^FINDING_KIND([A-Z_]*, *"\([^"]*\)").*/\1/p' src/wire/finding.def)
$(B)/obj/report/explanation.o: $(FINDING_KINDS:%=src/report/explanations/%.md)

# What is in src/wire is agreed on by the tool and by the runtime in a program; each knows by a hash of it whether the other
# one does.
# Deliberate faults are no part of it.
WIRE_FILES := $(sort $(filter-out src/wire/fault%,$(wildcard src/wire/*)))
WIRE_VERSION := $(B)/gen/wire/version.h
$(WIRE_VERSION): $(WIRE_FILES) tools/wire-version
	@mkdir -p $(@D)
	tools/wire-version $(WIRE_FILES) >$@
$(B)/obj/exec/session.o $(B)/obj/binary/program.o $(B)/rt/start.c.o: $(WIRE_VERSION)

# Calls of memory functions that the compiler makes by itself go to the runtime's own, except in the files that define
# the wrappers of libc's; the code gets a section of its own, so that it can be told from the program's.
RT_RENAME = $(foreach f,memcpy memset memcmp,--redefine-sym $(f)=rt_$(f)) --redefine-sym memmove=rt_memmove
$(B)/rt/%.c.o: src/rt/%.c
	@mkdir -p $(@D)
	@echo "  RT   $<"
	$(RT_CC) $(CFLAGS_RT) -c -o $@ $<
	objcopy --rename-section .text=heddle_text,contents,alloc,load,readonly,code $(if $(filter libc_%,$*),,$(RT_RENAME)) $@

# Names of system calls by number, as the kernel's headers have them.
$(B)/rt/libc_syscall.c.o: $(B)/rt/syscalls.inc
$(B)/rt/syscalls.inc:
	@mkdir -p $(@D)
	echo '#include <asm/unistd.h>' | $(RT_CC) -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/[\2] = "\1",/p' | sort >$@

$(B)/rt/%.S.o: src/rt/%.S
	@mkdir -p $(@D)
	$(RT_CC) -Isrc -Wa,--fatal-warnings -MMD -MP -c -o $@ $<

# One object, in which only the exported names are visible: nothing of ours can clash with a name of the program's.
# The program may have a function in place of ours, which then has no symbol any more, but dlsym must still find it: a
# table of names and offsets into our code, sorted, is part of the object (src/rt/libc_dl.c).
# Its debug information would be most of each program's, and of the time to link it; `make RT_STRIP=` keeps it.
# $(call rt_archive,directory,objects)
RT_STRIP ?= --strip-debug
define rt_archive
	rm -f $(1)/libheddle_rt.a
	ld -r -o $(1)/rt/code.o $(2)
	tools/rt-exports $(1)/rt/code.o >$(1)/rt/exports.s
	$(RT_CC) -c -o $(1)/rt/exports.o $(1)/rt/exports.s
	ld -r -o $(1)/rt/all.o $(1)/rt/code.o $(1)/rt/exports.o
	objcopy --localize-hidden $(RT_STRIP) $(1)/rt/all.o
	ar rcs $(1)/libheddle_rt.a $(1)/rt/all.o
endef

# The same with deliberate faults that can be switched on (src/wire/fault.h), and a tool that uses it.
RT_FAULTY := $(shell grep -lE '"wire/fault.h"' src/rt/*.[cS])
RT_FAULTY_OBJ := $(patsubst src/%,$(B)/fault/%.o,$(RT_FAULTY))
$(B)/fault/rt/%.c.o: src/rt/%.c
	@mkdir -p $(@D)
	$(RT_CC) $(CFLAGS_RT) -DHEDDLE_FAULTS -c -o $@ $<
	objcopy --rename-section .text=heddle_text,contents,alloc,load,readonly,code $(if $(filter libc_%,$*),,$(RT_RENAME)) $@
$(B)/fault/rt/%.S.o: src/rt/%.S
	@mkdir -p $(@D)
	$(RT_CC) -Isrc -Wa,--fatal-warnings -DHEDDLE_FAULTS -MMD -MP -c -o $@ $<
$(B)/fault/heddle: $(B)/heddle $(B)/libheddle_omp.a $(RT_FAULTY_OBJ) $(RT_OBJ) $(MEMBERS_rt) tools/rt-exports
	$(call rt_archive,$(B)/fault,$(RT_FAULTY_OBJ) $(filter-out $(patsubst src/%,$(B)/%.o,$(RT_FAULTY)),$(RT_OBJ)))
	ln -sfn ../libstdc++ $(@D)/libstdc++
	ln -sfn ../include $(@D)/include
	ln -sf ../libheddle_omp.a $(@D)/libheddle_omp.a
	cp $(B)/heddle $@
TESTBIN += $(B)/fault/heddle

# The runtime of `heddle run`, likewise one object.
# Frames are walked by unwind tables (src/run/cfi.h), so no function needs a frame pointer.
$(B)/run/%.o: CFLAGS_RT += -fomit-frame-pointer
$(B)/run/%.o: src/run/%.c
	@mkdir -p $(@D)
	@echo "  RUN  $<"
	$(RT_CC) $(CFLAGS_RT) -c -o $@ $<
	objcopy --rename-section .text=heddle_text,contents,alloc,load,readonly,code \
		$(if $(filter wrap_memory,$*),,$(foreach f,memcpy memset,--redefine-sym $(f)=run_$(f))) $@

$(B)/run/all.o: $(RUN_OBJ) $(MEMBERS_run)
	ld -r -o $@ $(RUN_OBJ)
	objcopy --localize-hidden $(RT_STRIP) $@

# OpenMP's library, for both runtimes (src/omp).  Its members are linked as they are needed, so each file is an object.  The
# compilers know the prototypes.
OMP_OBJ := $(patsubst src/%.c,$(B)/%.o,$(wildcard src/omp/*.c))
$(eval $(call members,omp,$$(OMP_OBJ)))
$(B)/omp/%.o: src/omp/%.c
	@mkdir -p $(@D)
	@echo "  OMP  $<"
	$(RT_CC) $(filter-out -Wmissing-prototypes -ffreestanding,$(CFLAGS_RT)) -c -o $@ $<
	objcopy --rename-section .text=heddle_openmp,contents,alloc,load,readonly,code $(RT_STRIP) $@

ifdef RT_FROM
$(addprefix $(B)/,libheddle_rt.a libheddle_run.a libheddle_run.so libheddle_omp.a): $(B)/%: $(RT_FROM)/%
	@mkdir -p $(@D)
	cp $< $@
else
$(B)/libheddle_rt.a: $(RT_OBJ) $(MEMBERS_rt) tools/rt-exports
	$(call rt_archive,$(B),$(RT_OBJ))

$(B)/libheddle_run.a: $(B)/run/all.o
	rm -f $@
	ar rcs $@ $<

# The same for programs that were built for exploration (src/run/takeover.c).
$(B)/libheddle_run.so: $(B)/run/all.o
	$(RT_CC) -shared -o $@ $< -Wl,--hash-style=both -Wl,-z,now -Wl,-z,noexecstack -ldl -lpthread

$(B)/libheddle_omp.a: $(OMP_OBJ) $(MEMBERS_omp)
	rm -f $@
	ar rcs $@ $(OMP_OBJ)
endif

# All of the tool but main, for programs that use a part of it: only that part is linked.
TOOL_LIB := $(B)/obj/tool.a
$(TOOL_LIB): $(LIB_OBJ) $(MEMBERS_tool)
	rm -f $@
	ar rcsT $@ $(LIB_OBJ)

# The program that uses LLVM (src/bitcode/main.c).
BITCODE_OBJ := $(patsubst src/%.c,$(B)/%.o,$(wildcard src/bitcode/*.c))
$(eval $(call members,bitcode,$$(BITCODE_OBJ)))
$(B)/bitcode/%.o: src/bitcode/%.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(CC) $(CFLAGS_TOOL) -isystem $(LLVM)/include -c -o $@ $<
$(B)/heddle-bitcode: $(BITCODE_OBJ) $(TOOL_LIB) $(MEMBERS_bitcode)
	@echo "  LINK $@"
	$(CC) $(MODE_$(MODE)) -o $@ $(BITCODE_OBJ) $(TOOL_LIB) -L$(LLVM)/lib -lLLVM-19 -Wl,--as-needed $(LIBS_TOOL)

$(B)/unit/%: tests/unit/%.c $(TOOL_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -Itests -MF $@.d -o $@ $< $(TOOL_LIB) $(LIBS_TOOL) -lcmocka

$(B)/bench/%: bench/%.c $(wildcard bench/*.h) $(TOOL_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -MF $@.d -o $@ $< $(TOOL_LIB) $(LIBS_TOOL)

# Helpers of the tests: free-standing programs that share no code with the tool.
$(B)/tests/%: tests/lib/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -g -Isrc -MMD -MP -MF $@.d -o $@ $< -lZydis

# What switches deliberate faults on by name (src/wire/fault.h), for the programs of tests that have them.
CHOOSE_FAULTS := $(B)/fault/choose.o
$(CHOOSE_FAULTS): tests/faults/choose.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -MF $(@:.o=.d) -DHEDDLE_FAULTS -c -o $@ $<

$(B)/fault/exec/worker.o: src/exec/worker.c $(WIRE_VERSION)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_TOOL) -MF $(@:.o=.d) -DHEDDLE_FAULTS -c -o $@ $<
$(B)/drive/executions: tests/harness/executions.c $(B)/fault/exec/worker.o $(CHOOSE_FAULTS) $(LIB_OBJ) $(MEMBERS_tool)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -MF $@.d -DHEDDLE_FAULTS -o $@ $< $(B)/fault/exec/worker.o $(CHOOSE_FAULTS) \
		$(filter-out $(B)/obj/exec/worker.o,$(LIB_OBJ)) $(LIBS_TOOL)
# Others drive parts of it.
$(B)/drive/%: tests/harness/%.c $(TOOL_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -MF $@.d -o $@ $< $(TOOL_LIB) $(LIBS_TOOL)

# The reference for the model checker, which shares no code with it.
CHECK_SRC := $(wildcard tests/check_vs_reference/*.c)
$(B)/check/ref: $(CHECK_SRC) $(MEMBERS_tests) $(wildcard tests/check_vs_reference/*.h tests/check_vs_reference/*.def)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -g -o $@ $(CHECK_SRC)

# The oracle with deliberate faults that can be switched on, and what compares it with brute force and with Z3.
ORACLE_SRC := $(wildcard src/oracle/*.c src/predict/*.c) \
	$(filter-out tests/oracle/props.c tests/oracle/traces.c tests/oracle/z3.c,$(wildcard tests/oracle/*.c))
ORACLE_OBJ := $(patsubst %.c,$(B)/oracle/%.o,$(notdir $(ORACLE_SRC)))
ORACLE_FOR_z3 := -lz3
vpath %.c src/oracle src/predict tests/oracle
$(ORACLE_OBJ): $(B)/oracle/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -DHEDDLE_FAULTS -Itests/oracle -c -o $@ $<
$(B)/oracle/%: tests/oracle/%.c $(ORACLE_OBJ) $(CHOOSE_FAULTS) $(TOOL_LIB) $(MEMBERS_tests)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -MF $@.d -DHEDDLE_FAULTS -Itests -Itests/oracle -o $@ $< $(ORACLE_OBJ) $(CHOOSE_FAULTS) $(TOOL_LIB) $(ORACLE_FOR_$*) $(LIBS_TOOL)

FUZZ_SRC := $(wildcard tests/fuzz/*.c)
$(B)/fuzz/driver: $(FUZZ_SRC) $(TOOL_LIB) $(MEMBERS_tests)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -Itests/fuzz -MF $@.d -o $@ $(FUZZ_SRC) $(TOOL_LIB) $(LIBS_TOOL)

# libFuzzer: everything in one compilation, so that all of it is instrumented.
fuzz-%: $(WIRE_VERSION)
	@mkdir -p build/fuzz
	clang -std=gnu11 -D_GNU_SOURCE -O1 -g -Iinclude -Isrc -I$(B)/gen -Itests/fuzz -fsanitize=fuzzer,address,undefined \
		-DLIBFUZZER=fuzz_$* -o build/fuzz/fuzz-$* $(FUZZ_SRC) $(filter-out src/cmd/main.c,$(TOOL_SRC)) \
		$(LIBS_TOOL)

# The reduction with deliberate faults that can be switched on, against search without it (tests/explore_vs_dfs).
REDUCTION := $(filter-out %/strategy.c,$(wildcard src/explore/*/*.c)) \
	src/explore/schedule.c $(wildcard src/explore/worktree*.c)
REDUCTION_OBJ := $(patsubst src/%.c,$(B)/fault/%.o,$(REDUCTION))
$(B)/fault/explore/%.o: src/explore/%.c $(WIRE_VERSION)
	@mkdir -p $(@D)
	@echo '  CC   $< (with faults)'
	@$(CC) $(CFLAGS_TOOL) -MF $(@:.o=.d) -DHEDDLE_FAULTS -c -o $@ $<
$(B)/tests/explore_check: $(wildcard tests/explore_vs_dfs/*.[ch] src/explore/*.h src/explore/*/*.h src/wire/*.h src/wire/*.def tests/faults/*.h) $(REDUCTION_OBJ) $(CHOOSE_FAULTS) $(filter $(B)/obj/base/%,$(LIB_OBJ)) $(MEMBERS_tool) $(MEMBERS_tests)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS_TOOL)) -Itests -DHEDDLE_FAULTS -o $@ \
		$(wildcard tests/explore_vs_dfs/*.c) $(REDUCTION_OBJ) $(CHOOSE_FAULTS) $(filter $(B)/obj/base/%,$(LIB_OBJ)) $(LIBS_TOOL)
# The same on the real runtime, against every order of steps.
$(B)/tests/faulty: $(CHOOSE_FAULTS) $(B)/obj/cmd/main.o $(REDUCTION_OBJ) $(LIB_OBJ) $(MEMBERS_tool)
	@mkdir -p $(@D)
	$(CC) $(MODE_$(MODE)) -o $@ $(CHOOSE_FAULTS) $(B)/obj/cmd/main.o $(REDUCTION_OBJ) \
		$(filter-out $(patsubst $(B)/fault/%,$(B)/obj/%,$(REDUCTION_OBJ)),$(LIB_OBJ)) $(LIBS_TOOL)
TESTBIN += $(B)/tests/faulty
$(B)/tests/brute: tests/explore_vs_brute_force/main.c $(REDUCTION_OBJ) $(CHOOSE_FAULTS) $(LIB_OBJ) $(MEMBERS_tool)
	$(CC) $(CFLAGS_TOOL) -MF $@.d -DHEDDLE_FAULTS -Itests -o $@ $< $(REDUCTION_OBJ) $(CHOOSE_FAULTS) \
		$(filter-out $(patsubst $(B)/fault/%,$(B)/obj/%,$(REDUCTION_OBJ)),$(LIB_OBJ)) $(LIBS_TOOL)
TESTBIN += $(B)/tests/brute
TESTBIN += $(B)/tests/explore_check

# The interpreter with deliberate faults that can be switched on, against native execution (tests/e2e/interp).
INTERP_OBJ := $(patsubst src/%.c,$(B)/fault/%.o,$(wildcard src/interp/*.c))
$(B)/fault/interp/%.o: src/interp/%.c
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_TOOL) -MF $(@:.o=.d) -DHEDDLE_FAULTS -c -o $@ $<
$(B)/tests/interpret: tests/interp_vs_native/main.c $(INTERP_OBJ) $(CHOOSE_FAULTS) $(TOOL_LIB) $(MEMBERS_tests)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_TOOL) -MF $@.d -o $@ $< $(INTERP_OBJ) $(CHOOSE_FAULTS) $(TOOL_LIB) $(LIBS_TOOL)
TESTBIN += $(B)/tests/interpret

# The core of `heddle run` with deliberate faults, with its own number of cells and with many, against its reference.
RUN_CORE := $(patsubst %,src/run/%.c,memory guard thr clock late stamp shadow access conflict free lock nest object order)
RUN_OUTSIDE := $(wildcard tests/run_vs_reference/core/* tests/faults/*)
$(B)/tests/edc_4 $(B)/tests/edc_64: $(RUN_CORE) $(RUN_OUTSIDE) $(MEMBERS_tests) $(wildcard tests/run_vs_reference/*.[ch] src/run/*.h src/wire/fault*)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -Itests/run_vs_reference $(WARN) -O1 -g -mcx16 -DHEDDLE_FAULTS \
		-DCELLS=$(patsubst $(B)/tests/edc_%,%,$@) $(if $(filter %_4,$@),-DSTAMPS=512) \
		-o $@ $(wildcard tests/run_vs_reference/*.c) $(filter %.c,$(RUN_OUTSIDE)) $(RUN_CORE)
TESTBIN += $(B)/tests/edc_4 $(B)/tests/edc_64

# And interleaved, with threads that have no races.  At fixed addresses: a round does the same each time.
$(B)/tests/storm: $(RUN_CORE) src/run/atomic.c $(RUN_OUTSIDE) tests/run_vs_reference/storm/main.c $(wildcard src/run/*.h src/wire/fault*)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -Itests/run_vs_reference $(WARN) -O1 -g -mcx16 -DHEDDLE_FAULTS -DSTAMPS=512 -DLATE_MAX=1 -pthread \
		-fno-pie -no-pie \
		-o $@ tests/run_vs_reference/storm/main.c $(filter %.c,$(RUN_OUTSIDE)) $(RUN_CORE) src/run/atomic.c
TESTBIN += $(B)/tests/storm

# A free and a use, one in the middle of the other.
$(B)/tests/meet: $(RUN_CORE) $(RUN_OUTSIDE) tests/run_vs_reference/meet/main.c $(wildcard src/run/*.h src/wire/fault*)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -Itests/run_vs_reference $(WARN) -O1 -g -mcx16 -DHEDDLE_FAULTS \
		-o $@ tests/run_vs_reference/meet/main.c $(filter %.c,$(RUN_OUTSIDE)) $(RUN_CORE)
TESTBIN += $(B)/tests/meet

# Unit tests of it.  Without sanitizers, whose shadow lies where ours does.
RUN_UNIT_WITH_descriptor := src/run/descriptor.c
$(B)/unit/test_run_%: tests/unit/test_run_%.c $(RUN_CORE) $(RUN_OUTSIDE) $(wildcard src/run/*.[ch] tests/unit/*.h src/wire/fault*)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -Itests -Itests/run_vs_reference $(WARN) -O1 -g -mcx16 -DHEDDLE_FAULTS \
		-o $@ $< $(filter %.c,$(RUN_OUTSIDE)) $(RUN_CORE) $(RUN_UNIT_WITH_$*) -lcmocka

unit: $(UNIT)
testbin: $(TESTBIN) $(B)/check/ref

deps:
	@tools/deps
deps-test:
	@tools/deps test
deps-bench:
	@tools/deps bench
deps-real:
	@tools/deps real

# ---- tests ----

RUN_UNIT = for t in $(1)/unit/test_*; do case $$t in *.d) continue;; esac; CMOCKA_MESSAGE_OUTPUT=tap $$t || exit 1; done
SUITES_QUICK = check='tools/check $(B)' unit='$(call RUN_UNIT,$(B))' golden='tests/golden/run'
# Long ones come first (tools/runtests tells what each takes), so that both processors have work until the end.
E2E      := $(patsubst tests/e2e/%/run,%,$(wildcard tests/e2e/*/run))
E2E_LONG := $(filter check cc memory run cxx share kills brute reduction backend predict libc conform,$(E2E))
E2E_REST := $(filter-out mcr $(E2E_LONG),$(E2E))
suite_e2e = $(foreach d,$(1),e2e-$(d)='tests/e2e/$(d)/run')
SUITES = reference='tests/check_vs_reference/run' $(call suite_e2e,mcr) prop='tests/record_vs_validator/run' unit-asan='$(call RUN_UNIT,$(SANITIZED))' \
	$(call suite_e2e,$(E2E_LONG)) fuzz='tests/fuzz/run' audit='tests/hooks_audit/run' \
	examples-asan='HEDDLE_BUILD=$(SANITIZED) tests/e2e/examples/run' golden-asan='HEDDLE_BUILD=$(SANITIZED) tests/golden/run' \
	$(SUITES_QUICK) $(call suite_e2e,$(E2E_REST))

build-quick: all unit testbin $(B)/oracle/props $(B)/oracle/traces $(B)/oracle/z3
	@:

# The second build is clang's, of tool and runtime, and has the sanitizers in the tool: clang needs half of gcc's time for them
# and gives the same warnings without optimisation.  `make test-long` has gcc's, too, and clang's optimised.
SANITIZED = build/clang
SUITES_LONG = $(SUITES) real='tests/real/run' real-run='tests/real/online' real-suites='tests/real/suites' \
	real-servers='tests/real/servers' \
	examples-clang='HEDDLE_BUILD=build/clang-release tests/e2e/examples/run' \
	unit-clang='$(call RUN_UNIT,build/clang-release)'
RUNTESTS = HEDDLE_BUILD=$(B) HEDDLE_SANITIZED=$(SANITIZED) tools/runtests

ifeq ($(SUITE),list)
test:
	@tools/runtests -n $(SUITES)
test-long:
	@tools/runtests -n $(SUITES_LONG)
else ifneq ($(SUITE),)
# A wrong name is an error before anything is built.  Few suites need another build than the first.
CHOSEN = $(shell tools/runtests -n -s '$(SUITE)' $(SUITES_LONG) 2>/dev/null)
OTHER_BUILDS = $(if $(filter %-asan fuzz,$(CHOSEN)),build-sanitized) $(if $(filter %-clang,$(CHOSEN)),build-clang)
test:
	@tools/runtests -n -s '$(SUITE)' $(SUITES) >/dev/null
	@tools/deps test
	+$(MAKE) --no-print-directory -j2 B=$(B) build-quick $(OTHER_BUILDS)
	$(RUNTESTS) -s '$(SUITE)' $(SUITES)
test-long:
	@tools/runtests -n -s '$(SUITE)' $(SUITES_LONG) >/dev/null
	@tools/deps real
	+$(MAKE) --no-print-directory -j2 B=$(B) build-quick $(OTHER_BUILDS)
	PROP_LONG=1 SUITE_TIMEOUT=14400 $(RUNTESTS) -s '$(SUITE)' $(SUITES_LONG)
else
test: deps-test
	+$(MAKE) --no-print-directory -j2 B=$(B) build-quick
	+$(MAKE) --no-print-directory -j2 B=$(B) build-sanitized
	$(RUNTESTS) $(SUITES)
test-long: SANITIZED = build/asan
test-long: deps-real
	+$(MAKE) --no-print-directory -j2 B=$(B) build-quick
	+$(MAKE) --no-print-directory -j2 B=build/asan MODE=asan RT_FROM=$(B) all unit build/asan/fuzz/driver
	+$(MAKE) --no-print-directory -j2 build-clang
	PROP_LONG=1 SUITE_TIMEOUT=14400 $(RUNTESTS) $(SUITES_LONG)
endif

build-sanitized:
	@# what a build in another mode has left there
	[ ! -e $(SANITIZED)/heddle ] || grep -q __asan_init $(SANITIZED)/heddle || rm -rf $(SANITIZED)/obj $(SANITIZED)/unit
	+$(MAKE) --no-print-directory -j2 B=$(SANITIZED) CC=clang MODE=asan all unit $(SANITIZED)/fuzz/driver
build-clang:
	+$(MAKE) --no-print-directory -j2 B=build/clang-release CC=clang all unit

test-real: deps-real
	+$(MAKE) --no-print-directory -j2 B=$(B) all
	HEDDLE_BUILD=$(B) tests/real/run --doc
	HEDDLE_BUILD=$(B) tests/real/online --doc
	HEDDLE_BUILD=$(B) tests/real/suites --doc
	HEDDLE_BUILD=$(B) tests/real/servers --doc

quick: deps-test
	+$(MAKE) --no-print-directory -j2 B=$(B) build-quick
	HEDDLE_BUILD=$(B) tools/runtests $(SUITES_QUICK)

man: $(B)/heddle
	tools/man $(B) $(B)/man

PREFIX ?= /usr/local
install: all
	tools/install $(B) $(PREFIX) $(DESTDIR)
uninstall:
	tools/install --uninstall $(B) $(PREFIX) $(DESTDIR)

check: all
	tools/check $(B)

demo: deps
	+$(MAKE) --no-print-directory -j2 B=$(B) all
	tools/demo $(B)

bench: deps-bench
	+$(MAKE) --no-print-directory -j2 B=$(B) all $(B)/bench/trace_bench $(B)/bench/scale_bench $(B)/bench/predict_bench $(B)/drive/executions
	bench/run $(B)
	bench/restart $(B)
	bench/share $(B)
	bench/predict $(B)

clean:
	rm -rf build build-*

DEPENDENCIES := $(shell find $(B) -name '*.d' 2>/dev/null)
-include $(DEPENDENCIES)
# Sources that an earlier build knew and that are gone: what was made of them, and still is, is made again (-MP does it for
# headers).
OLD_SOURCES := $(if $(DEPENDENCIES),$(shell grep -ohE '(src|tests|bench)/[^ :]*\.[cS]\b' $(DEPENDENCIES) | sort -u))
$(filter-out $(wildcard $(OLD_SOURCES)),$(OLD_SOURCES)):
