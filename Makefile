# The two commands for newcomers, and a few for developers of Kineograph.
# SPDX-License-Identifier: GPL-3.0-or-later

BUILD = build

.PHONY: all demo test sanitize torture fuzz bench install reference format dependencies clean

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

# Renders graphs/reel.json to demo.mp4.
demo: all
	$(BUILD)/src/cli/kineo render graphs/reel.json -o demo.mp4
	@echo "demo.mp4 is ready: play it with any player."

# All tests, from the units to the installed program.  Ends with a line "N passed, M failed".
test: all
	build-aux/run-tests.py $(BUILD)

# All tests, or those in SANITIZE_TESTS, under the address and undefined-behaviour sanitizers.  build-aux/leaks.supp
# suppresses caches of libgomp and the decoders, which only they can free.
sanitize: export ASAN_OPTIONS = detect_leaks=1:abort_on_error=0:allocator_may_return_null=1
sanitize: export UBSAN_OPTIONS = print_stacktrace=1:halt_on_error=1
sanitize: export LSAN_OPTIONS = suppressions=$(CURDIR)/build-aux/leaks.supp:print_suppressions=0
sanitize: $(BUILD)-sanitize/build.ninja
	ninja -C $(BUILD)-sanitize
	build-aux/run-tests.py $(BUILD)-sanitize -t 2 $(SANITIZE_TESTS)

# What kineo must survive: refused system calls and memory, full disks, kills, any number of threads, and races, which are
# looked for where there is clang.  Takes at most so many minutes; a short form is one of the tests.
TORTURE_MINUTES = 60
torture: export KINEO = $(CURDIR)/$(BUILD)/src/cli/kineo
torture: export KG_INJECT = $(CURDIR)/$(BUILD)/tests/torture/inject
torture: export KG_PRELOAD = $(CURDIR)/$(BUILD)/tests/torture/libpreload.so
torture: export KG_GRAPHS = $(CURDIR)/graphs
torture: export PYTHONDONTWRITEBYTECODE = 1
torture: all
	set -e; if command -v clang > /dev/null; then \
	  test -f $(BUILD)-tsan/build.ninja || CC=clang meson setup $(BUILD)-tsan -Db_sanitize=thread -Db_lundef=false -Doptimization=1; \
	  ninja -C $(BUILD)-tsan src/cli/kineo tests/torture/liblocks.so; \
	  export KG_TSAN_KINEO=$(CURDIR)/$(BUILD)-tsan/src/cli/kineo KG_TSAN_LOCKS=$(CURDIR)/$(BUILD)-tsan/tests/torture/liblocks.so; \
	fi; \
	python3 tests/torture/torture.py --minutes $(TORTURE_MINUTES)

# Feeds every reader with what clang's libFuzzer makes of the files here, FUZZ_SECONDS each (60), or those in FUZZ_TARGETS.
fuzz: $(BUILD)-fuzz/build.ninja
	build-aux/fuzz.py $(BUILD)-fuzz $(FUZZ_TARGETS)

# Compares with other programs (apt-get install blender libode-dev) and times the window (apt-get install xvfb).
bench: all
	bench/run.py $(BUILD)

$(BUILD)/build.ninja: | dependencies
	meson setup $(BUILD)

# Lines are enough to find an error, and to keep track of variables takes up to four fifths of the time of the compiler.
$(BUILD)-sanitize/build.ninja: | dependencies
	meson setup $(BUILD)-sanitize -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dc_args=-g1

# libFuzzer comes with clang.  Lines are enough to find a crash, and clang 14 crashes itself over variables in parallel loops.
$(BUILD)-fuzz/build.ninja: | dependencies
	CC=clang meson setup $(BUILD)-fuzz -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Ddebug=false "-Dc_args=-gline-tables-only -fsanitize=fuzzer-no-link"

# Debian: installs missing packages.  Elsewhere: lists the required ones and leaves the checks to meson.
dependencies:
	@build-aux/install-dependencies.sh

# Writes docs/reference from the declarations of the nodes, with images of the example graphs, and
# docs/preset-format.md from the schema.
reference: all
	build-aux/make-reference.py $(BUILD)/src/cli/kineo graphs docs/reference
	build-aux/make-format.py $(BUILD)/src/cli/kineo docs/preset-format.md

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-tsan $(BUILD)-fuzz demo.mp4
