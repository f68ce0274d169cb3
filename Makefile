# attend: how it is built, run and checked. `make help` lists what you can type.
#
# Settings, given behind `make` (each change rebuilds what it touches):
#   CC=clang            another compiler
#   CFLAGS=-O2          another optimisation (default -O3)
#   MARCH=x86-64-v3     another processor (default native; empty: the compiler's own choice)
#   SANITIZE=1          address and undefined-behaviour checks, in build/sanitize
#   WERROR=1            warnings are errors (`make lint` does this with gcc and clang)
#   BUILD=folder        another build folder
#   ARGS="..."          flags for the lesson, or what else is run
#   DIR=folder          other runs for the gallery (default plots)
#   DIR=folder          the class, for grade-all
#   A=folder B=folder   the runs to compare
#   STUDENT=folder      what to grade; SEED=N: the same questions again; ONLY="4.1 4.2"
#   OUT=folder          where compare writes
#   OUT=folder          where student, grade and grade-all write
#   GOLDEN_DIR=folder   other reference values for check-golden
#   JOBS=N              test programs at once (default: one per core); TEST_SECONDS=N for each
#   V=1                 show the whole commands
#
# Targets that people type (all, run, check ...) prepare the machine and then call this Makefile
# again for the files themselves: only that second call looks at the compiler and the libraries.

BUILD ?= build
MARCH ?= native
# OUT=folder behind `make` is for the program that is run; below, OUT is where things are built.
OUT_GIVEN := $(if $(filter command,$(origin OUT)),$(value OUT))
override OUT := $(BUILD)$(if $(SANITIZE),/sanitize)
# A folder may be called what make would expand, $(shell ..) even, and others choose those names: taken
# as they are written, whether they stand behind `make` or in the environment.
literal = $(if $(filter command environment,$(origin $1)),$(eval override $1 := $$(value $1)))
$(foreach name,STUDENT DIR A B SEED ONLY GOLDEN_DIR,$(call literal,$(name)))

ifneq ($(filter default undefined,$(origin CC)),)
CC := $(shell for c in cc gcc clang; do command -v $$c >/dev/null && echo $$c && break; done)
endif
CFLAGS ?= $(if $(SANITIZE),-O1,-O3)

# As many jobs as there are cores unless the user said -j; a later -j wins over this one.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
endif
MAKEFLAGS += --no-builtin-rules

export CC
# Threads that wait go to sleep after some 50 us instead of spinning for long: beside a browser and a
# video call, spinning makes a lesson with two threads several times slower; without any, each of the
# short pieces that small models are made of would begin with waking a thread up. (gcc's OpenMP looks
# at the second of these, clang's only at the first.)
OMP_WAIT_POLICY ?= passive
GOMP_SPINCOUNT ?= 1000
export OMP_WAIT_POLICY GOMP_SPINCOUNT
ifdef GOLDEN_DIR
export GOLDEN_DIR
endif

# --- What there is ------------------------------------------------------------------------------
# Found by name: a new file in the right place needs no line here.

find_c = $(sort $(foreach depth,* */* */*/* */*/*/*,$(wildcard $1/$(depth).c)))

LIB_SOURCES := $(call find_c,common)
LESSON_NAMES := $(patsubst lessons/%.c,%,$(sort $(wildcard lessons/[0-9][0-9]_*.c)))
BENCH_SOURCES := $(call find_c,tests/bench)
PLOT_SOURCES := $(sort $(wildcard plots/*.c))
PAGE_PARTS := $(sort $(foreach kind,css html js,$(wildcard plots/gallery/*.$(kind))))
RUNNER_SOURCES := tests/run_tests.c $(sort $(wildcard tests/runner/*.c))
# The student edition, the grading, and what runs a student's code; the edition itself has none of it.
GRADE_SOURCES := $(wildcard tests/grade/student.c tests/grade/grade.c tests/grade/grade_all.c)
GRADE_PARTS := $(sort $(filter-out $(GRADE_SOURCES) tests/grade/test_%.c tests/grade/variants.c, \
    $(wildcard tests/grade/*.c)))
WORKER_SOURCES := $(sort $(wildcard tests/grade/calls/*.c tests/grade/items.c))
ALL_TESTING := $(filter-out $(BENCH_SOURCES) $(RUNNER_SOURCES) $(GRADE_SOURCES) \
    $(filter tests/grade/calls/%,$(WORKER_SOURCES)),$(call find_c,tests))
TEST_SOURCES := $(foreach file,$(ALL_TESTING),$(if $(filter test_%,$(notdir $(file))),$(file)))
TESTING_SOURCES := $(filter-out $(TEST_SOURCES),$(ALL_TESTING))

object = $(patsubst %.c,$(OUT)/obj/%.o,$1)
LIB := $(OUT)/libattend.a
TESTING := $(if $(TESTING_SOURCES),$(OUT)/libtesting.a)
LESSONS := $(LESSON_NAMES:%=$(OUT)/lessons/%)
LESSON_OBJECTS := $(LESSON_NAMES:%=$(OUT)/lesson_objects/%.o)
TESTS := $(TEST_SOURCES:%.c=$(OUT)/%)
PLOTS := $(PLOT_SOURCES:%.c=$(OUT)/%)
GRADE := $(GRADE_SOURCES:%.c=$(OUT)/%)
GRADED := $(OUT)/graded
GRADE_TESTS := $(filter %/test_grading %/test_mutants %/test_attacks %/test_build_attacks,$(TESTS))
BENCH := $(if $(BENCH_SOURCES),$(OUT)/bench)
RUNNER := $(OUT)/tests/run_tests
EVERY_SOURCE := $(LIB_SOURCES) $(LESSON_NAMES:%=lessons/%.c) $(PLOT_SOURCES) $(BENCH_SOURCES) \
    $(GRADE_SOURCES) $(WORKER_SOURCES) $(RUNNER_SOURCES) $(ALL_TESTING)
EVERY_OBJECT := $(call object,$(EVERY_SOURCE)) $(LESSON_OBJECTS)

TYPED := all run class compare gallery check check-golden check-unit bench student grade grade-all \
    format lint setup setup-dev clean help
.PHONY: $(TYPED) everything objects FORCE
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
# `make clean all` and `make run check` do one after the other; each is parallel inside.
ifneq ($(filter $(TYPED) run-% check-%,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# --- What people type ---------------------------------------------------------------------------

AGAIN = $(MAKE) --no-print-directory $(if $(V),,--silent)
# A shell is handed a recipe line by line, so a name of two lines cannot be quoted.
define newline


endef
one_line = $(if $(findstring $(newline),$1),$(error \
    a name has more than one line: "$(subst $(newline), ,$1)"),$1)
quoted = '$(subst ','\'',$(call one_line,$1))'
NN = $(shell printf '%02d' "$*" 2>/dev/null || echo "$*")

# $(call build_each,programs): builds what can be built. What cannot is removed, so that nobody runs
# (or believes) the program of an earlier version.
build_each = $(AGAIN) -k $1 || for program in $1; do $(AGAIN) -q $$program || rm -f $$program; done

# The tests of the lessons take longest, those of the last lesson longest of all: they begin first, so
# that no core waits for them in the end.
of_lessons = $(foreach program,$1,$(if $(findstring /lessons/,$(program)),$(program)))
long_first = $(shell printf '%s\n' $(call of_lessons,$1) | sort -r) \
    $(filter-out $(call of_lessons,$1),$1)

# $(call run_tests,programs): one that does not build is reported as failed, and the others run.
# By the clock, which a busy machine uses up, too; what only computes is ended much earlier.
TEST_SECONDS ?= $(if $(SANITIZE),900,300)
define run_tests
$(if $(strip $1),,$(error there are no tests to run))
@+$(AGAIN) $(RUNNER)
@+$(call build_each,$1)
@$(RUNNER) $(if $(JOBS),--jobs $(JOBS)) --seconds $(TEST_SECONDS) \
    --cpu $(if $(SANITIZE),600,100) \
    $(if $(SANITIZE),,--memory 4096) $(call long_first,$1)
endef

all: ## build everything: library, lessons, tests and what else is run
	@+$(AGAIN) everything

run: ## set up, build, run every lesson in order, end with one table (ARGS="--quick")
ifeq ($(LESSON_NAMES),)
	@echo "There are no lessons yet: lessons/ holds no file named NN_name.c."
else
	@sh .ci/setup run
	@+$(call build_each,$(OUT)/plots/summary $(LESSONS))
	@trap 'stopped=1' INT; stopped=; results=; \
	for lesson in $(LESSON_NAMES); do \
	    rm -f plots/$$lesson/claims.tsv plots/$$lesson/run.tsv; \
	    printf '\n=== %s ===\n\n' "$$lesson"; \
	    $(OUT)/lessons/$$lesson $(ARGS); status=$$?; \
	    results="$$results $$lesson=$$status"; \
	    if [ -n "$$stopped" ] || [ $$status -eq 130 ]; then break; fi; \
	done; \
	$(OUT)/plots/summary $$results
endif

run-%: FORCE ## one lesson: make run-03 ARGS="--seed 2 --step"
	$(if $(filter $(NN)_%,$(LESSON_NAMES)),,$(error there is no lesson $*; there are: $(LESSON_NAMES)))
	@sh .ci/setup run
	@+$(AGAIN) $(filter $(OUT)/lessons/$(NN)_%,$(LESSONS))
	@$(filter $(OUT)/lessons/$(NN)_%,$(LESSONS)) $(ARGS)

class: ## in front of a class: every lesson step by step, with a menu (ARGS="--quick")
	@sh .ci/setup run
	@+$(call build_each,$(OUT)/plots/class $(LESSONS))
	@$(OUT)/plots/class $(LESSONS) -- $(ARGS)

gallery: ## one page of all runs, plots/index.html (DIR=folder: of the runs in there)
	@sh .ci/setup run
	@+$(AGAIN) $(OUT)/plots/gallery
	@$(OUT)/plots/gallery $(if $(DIR),$(call quoted,$(DIR)))

# Student code is graded as it is built for grading, and the tests of the build call make, both without
# sanitizers: once is enough.
check: ## set up, build, run all tests
	@sh .ci/setup check
	$(call run_tests,$(if $(SANITIZE),$(filter-out $(OUT)/tests/ci/% $(GRADE_TESTS),$(TESTS)),$(TESTS)))

check-unit: ## the tests of common/, without those of whole lessons, gradings and of the build
	@sh .ci/setup check
	$(call run_tests,$(filter-out $(OUT)/tests/lessons/% $(OUT)/tests/ci/% $(GRADE_TESTS),$(TESTS)))

check-golden: ## the reference values of a folder (GOLDEN_DIR=tests/golden)
	@sh .ci/setup check
	$(call run_tests,$(filter %/test_golden,$(TESTS)))

check-%: FORCE ## one lesson's tests: make check-03
	$(if $(filter $(OUT)/tests/lessons/%,$(TESTS)),,$(error this edition has no tests of lessons; \
	    `make check` runs those that there are))
	$(if $(filter $(OUT)/tests/lessons/test_$(NN)_%,$(TESTS)),,$(error no test of a lesson $*; \
	    there are: $(notdir $(filter $(OUT)/tests/lessons/%,$(TESTS)))))
	@sh .ci/setup check
	$(call run_tests,$(filter $(OUT)/tests/lessons/test_$(NN)_%,$(TESTS)))

compare: ## two runs beside each other (A=plots/02_bahdanau B=plots/mine, OUT=dir)
	$(if $(and $(A),$(B)),,$(error which two runs? make compare A=plots/02_bahdanau B=plots/mine))
	@sh .ci/setup run
	@+$(AGAIN) $(OUT)/plots/compare
	@$(OUT)/plots/compare $(if $(OUT_GIVEN),--out $(call quoted,$(OUT_GIVEN))) $(ARGS) \
	    $(call quoted,$(A)) $(call quoted,$(B))

bench: ## build and run the benchmark (ARGS=--help: what it can be asked)
	$(if $(BENCH),,$(error there is no benchmark: tests/bench holds no .c file))
	@+$(AGAIN) $(BENCH)
	@env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT $(BENCH) $(ARGS)

student: ## write the student edition, exercises emptied (OUT=folder, a new one)
	$(if $(GRADE),,$(error this is a student edition: there is nothing to be made of it))
	$(if $(OUT_GIVEN),,$(error say where to: make student OUT=folder))
	@sh .ci/setup run
	@+$(AGAIN) $(OUT)/tests/grade/student
	@$(OUT)/tests/grade/student $(call quoted,$(OUT_GIVEN))

grade: ## grade a student's folder (STUDENT=folder OUT=folder SEED=N ONLY="4.1 4.2")
	$(if $(GRADE),,$(error this is a student edition: grading needs the instructor's))
	$(if $(STUDENT),,$(error say whose: make grade STUDENT=folder))
	@sh .ci/setup run
	@+$(AGAIN) $(GRADED)/workers/done
	@$(OUT)/tests/grade/grade $(GRADED) $(call quoted,$(STUDENT)) \
	    $(call quoted,$(or $(OUT_GIVEN),$(OUT)/grades)) $(call quoted,$(SEED)) $(call quoted,$(ONLY))

grade-all: ## grade a class, one folder each (DIR=folder OUT=folder JOBS=N)
	$(if $(GRADE),,$(error this is a student edition: grading needs the instructor's))
	$(if $(DIR),,$(error say where they are: make grade-all DIR=folder))
	@sh .ci/setup run
	@+$(AGAIN) $(GRADED)/workers/done $(OUT)/tests/grade/grade_all
	@$(OUT)/tests/grade/grade_all $(GRADED) $(call quoted,$(DIR)) \
	    $(call quoted,$(or $(OUT_GIVEN),$(OUT)/grades)) $(JOBS)

format: ## lay out all C files by .clang-format
	@sh .ci/lint format

lint: ## warnings of gcc and clang, layout, cppcheck, rooms, paths of this machine
	@sh .ci/lint tools
	@+status=0; \
	for compiler in gcc clang; do \
	    echo "$$compiler"; \
	    $(AGAIN) -k BUILD=$(BUILD)/lint/$$compiler CC=$$compiler SANITIZE= WERROR=1 objects || \
	        status=1; \
	done; \
	sh .ci/lint all && exit $$status

setup: ## install (or name) what building, running and testing need
	@sh .ci/setup check

setup-dev: ## the same for the tools of lint: clang, clang-format, cppcheck
	@sh .ci/setup dev

# Only what this Makefile put there: BUILD might be a folder that holds other things too.
clean: ## remove what was built (pictures of runs stay)
	@cd $(BUILD) 2>/dev/null || exit 0; \
	rm -rf obj lessons lesson_objects tests plots graded sanitize lint bench libattend.a \
	    libtesting.a config.mk flags *.sources; \
	cd "$$OLDPWD" && rmdir $(BUILD) 2>/dev/null || true

# Without the lines about what is not there: a student edition has no grading, and few tests.
help: ## this list
	@{ awk -F ':.*## ' '/^[a-z%-]+:.*## / { sub("%", "NN", $$1); \
	        printf "make %-14s %s\n", $$1, $$2 }' Makefile; \
	    sed -n 's/^#   \([A-Z]*=.*\)/     \1/p' Makefile; } | \
	    grep -vE -e '^:' $(if $(GRADE),,-e 'student|STUDENT|grad') $(if $(BENCH),,-e bench) \
	    $(if $(filter $(OUT)/tests/lessons/%,$(TESTS)),,-e 'check-(unit|NN)')

# --- The files themselves -----------------------------------------------------------------------
ifneq ($(filter-out $(TYPED) run-% check-%,$(MAKECMDGOALS)),)

# What the compiler and the machine offer, asked once: OpenMP, libpng, cmocka, OpenBLAS.
PROBE_FAILED := $(shell CC='$(CC)' OUT='$(OUT)' MARCH='$(MARCH)' CFLAGS='$(CFLAGS)' \
    LDFLAGS='$(LDFLAGS)' sh .ci/probe >&2 || echo yes)
ifneq ($(PROBE_FAILED),)
$(error stopped)
endif
include $(OUT)/config.mk

# Fused multiply-add is on under every compiler (gcc's default for gnu11); -ffast-math never is:
# it changes sums from build to build and takes isnan() away. Nobody asks errno about sqrtf(), and
# without it a loop with a root in it runs in vectors.
SANITIZERS := $(if $(SANITIZE),-g -fsanitize=address -fsanitize=undefined \
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
COMPILE := $(CC) -std=gnu11 $(CFLAGS) $(MARCH_FLAG) -ffp-contract=fast -fno-math-errno \
    $(OPENMP) $(SANITIZERS) \
    -Wall -Wextra -Wshadow $(QUIET_WARNINGS) $(if $(WERROR),-Werror) -Icommon $(PNG_CFLAGS) \
    $(CPPFLAGS)
LINK = $(CC) $(CFLAGS) $(MARCH_FLAG) $(OPENMP) $(SANITIZERS) $(LDFLAGS) -o $@ \
    $(filter %.o,$^) $(filter %.a,$^)
LINK_LIBS := $(PNG_LIBS) -lm

# $(call stamp,file,text): the file changes when the text does; what depends on it is rebuilt.
stamp = $(shell [ "$$(cat $1 2>/dev/null)" = $(call quoted,$(strip $2)) ] || \
    printf '%s\n' $(call quoted,$(strip $2)) >$1)
FLAGS := $(OUT)/flags
$(call stamp,$(FLAGS),$(COMPILE) $(LDFLAGS) $(LINK_LIBS) $(COMPILER_ID))
$(call stamp,$(OUT)/attend.sources,$(LIB_SOURCES))
$(call stamp,$(OUT)/testing.sources,$(TESTING_SOURCES))
$(call stamp,$(OUT)/bench.sources,$(BENCH_SOURCES))

SAY = $(if $(V),,@echo "  $1";)

everything: $(LIB) $(LESSONS) $(PLOTS) $(GRADE) $(BENCH) $(if $(CMOCKA_LIBS),$(RUNNER) $(TESTS))
	@$(if $(CMOCKA_LIBS),:,echo "The tests were left out: cmocka is missing; \`make setup\` gets it.")

objects: $(EVERY_OBJECT)

$(OUT)/obj/tests/%.o: DEFINES = $(CMOCKA_CFLAGS) -Itests -DBUILD_FOLDER='"$(OUT)"'
$(OUT)/obj/tests/bench/%.o: DEFINES = $(if $(OPENBLAS_LIBS),-DHAVE_OPENBLAS) $(OPENBLAS_CFLAGS)
$(OUT)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,cc $<)$(COMPILE) $(DEFINES) -MMD -MP -c $< -o $@

# What the sanitizers add to the innermost loop of matrix products takes half of a run's time at -O1.
$(OUT)/obj/common/core/kernels/gemm_tile.o: DEFINES = $(if $(SANITIZE),-O2)

# The gallery's page is written as what it is and becomes the inside of C arrays here: od and sed are
# everywhere.
$(OUT)/obj/%.inc: %
	@mkdir -p $(@D)
	$(call SAY,od $<)od -An -v -tu1 $< | sed 's/[0-9][0-9]*/&,/g' >$@
$(OUT)/obj/plots/gallery.o: DEFINES = -I$(OUT)/obj
$(OUT)/obj/plots/gallery.o: $(PAGE_PARTS:%=$(OUT)/obj/%.inc)

# A lesson as a part of its test: the same code, its main() out of the way.
$(OUT)/lesson_objects/%.o: lessons/%.c $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,cc $< (for its test))$(COMPILE) -Dmain=lesson_main -MMD -MP -c $< -o $@

ARCHIVE = $(call SAY,ar $@)rm -f $@ && ar rcs $@ $(filter %.o,$^)
$(LIB): $(call object,$(LIB_SOURCES)) $(OUT)/attend.sources
	$(ARCHIVE)
$(OUT)/libtesting.a: $(call object,$(TESTING_SOURCES)) $(OUT)/testing.sources
	$(ARCHIVE)

$(LESSONS) $(PLOTS): $(OUT)/%: $(OUT)/obj/%.o $(LIB) $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,ld $@)$(LINK) $(LINK_LIBS)

$(GRADE): $(OUT)/%: $(OUT)/obj/%.o $(call object,$(GRADE_PARTS)) $(LIB) $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,ld $@)$(LINK) $(LINK_LIBS)

# For grading everything is compiled once more, as a student's files will be: quickly, without
# threads, every function by itself, so that a worker takes along only what it calls.
ifneq ($(GRADE),)
# Assembler must reach the judge as it was written, so nothing in clang may read it before.
GRADE_COMPILE := $(CC) -std=gnu11 -O1 $(MARCH_FLAG) -ffp-contract=fast -w -ffunction-sections \
    -fdata-sections -Icommon -Itests $(PNG_CFLAGS) \
    $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),-fno-integrated-as)
GRADED_LIB := $(LIB_SOURCES:%.c=$(GRADED)/%.o)
GRADED_OBJECTS := $(GRADED_LIB) $(LESSON_NAMES:%=$(GRADED)/lessons/%.o) \
    $(WORKER_SOURCES:%.c=$(GRADED)/%.o)
# No object may bring in compiler options (gcc's plugin for the linker) or libraries (lld).
comma := ,
GRADE_LINK := -static $(if $(findstring -fno-integrated-as,$(GRADE_COMPILE)),,-fno-use-linker-plugin) \
    $(if $(findstring LLD,$(shell $(CC) -Wl$(comma)--version 2>&1)),-Wl$(comma)--no-dependent-libraries)
$(shell mkdir -p $(GRADED))
$(call stamp,$(GRADED)/command,$(GRADE_COMPILE))
$(call stamp,$(GRADED)/link,$(GRADE_LINK))

$(GRADED)/lessons/%.o: DEFINES = -Dmain=lesson_main
$(GRADED)/%.o: %.c $(GRADED)/command
	@mkdir -p $(@D)
	$(call SAY,cc $< (for grading))$(GRADE_COMPILE) $(DEFINES) -MMD -MP -c $< -o $@

$(GRADED)/library.a: $(GRADED_LIB) $(OUT)/attend.sources
	$(ARCHIVE)

$(GRADED)/workers/done: $(GRADED_OBJECTS) $(GRADED)/library.a $(GRADED)/link tests/grade/checks.tsv | \
    $(OUT)/tests/grade/grade
	$(call SAY,ld the workers)$(OUT)/tests/grade/grade $(GRADED) --reference && touch $@

-include $(GRADED_OBJECTS:.o=.d)
endif

$(TESTS): $(OUT)/%: $(OUT)/obj/%.o $(TESTING) $(LIB) $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,ld $@)$(LINK) $(CMOCKA_LIBS) $(LINK_LIBS)

$(RUNNER): $(call object,$(RUNNER_SOURCES)) $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,ld $@)$(LINK)

$(OUT)/bench: $(call object,$(BENCH_SOURCES)) $(LIB) $(OUT)/bench.sources $(FLAGS)
	$(call SAY,ld $@)$(LINK) $(OPENBLAS_LIBS) $(LINK_LIBS)

# The test of a lesson holds the lesson's functions, and runs the lesson's program.
lesson_test = $(OUT)/tests/lessons/test_$1: $(OUT)/lesson_objects/$1.o | $(OUT)/lessons/$1
$(foreach lesson,$(LESSON_NAMES),$(eval $(call lesson_test,$(lesson))))
# Those that grade need the instructor's workers.
$(GRADE_TESTS): | $(GRADED)/workers/done $(GRADE)
# Other tests that run a program.
plot_test = $(OUT)/tests/plots/test_$1: | $(OUT)/plots/$1
$(foreach plot,$(PLOT_SOURCES:plots/%.c=%),$(eval $(call plot_test,$(plot))))
$(OUT)/tests/plots/test_gallery_browser: | $(OUT)/plots/gallery
$(OUT)/tests/plots/test_class: | $(LESSONS)
$(OUT)/tests/test_run_tests: | $(RUNNER)
$(OUT)/tests/plots/test_compare: | $(OUT)/lessons/02_bahdanau

-include $(EVERY_OBJECT:.o=.d)
endif
