# weft: see README.md. Sources are found by folder, so a new file needs no line here.
#
#   make            the module for LuaJIT and Lua 5.1 (ABI=lua5.4 for another; see LUA_INCDIR)
#   make demo       installs what is missing, builds, dresses a mannequin; results in out/
#   make test       every spec under LuaJIT, the API specs again under PUC Lua 5.1 and 5.4
#   make check      warnings of two compilers, luacheck, sanitizers, LuaRocks; make check-quick for the fast part
#   make bench      time per step by phase; make bench-all: every benchmark against its target (bench/README.md);
#                   make bench-ccd: 10^8 queries of continuous detection, judged
#   make stress     scenes that try to push cloth through cloth and bodies, judged in every frame; pictures in
#                   build/stress/. STRESS="contact=barrier twist" chooses the response and the scenes
#   make clean

BUILD ?= build
ABI ?= lua5.1

# Headers of the Lua to build for. LuaRocks passes LUA_INCDIR, and the ABI follows from its lua.h.
ifdef LUA_INCDIR
  ABI := lua$(shell awk '/define[ \t]+LUA_VERSION_NUM/ {printf "%d.%d", $$3 / 100, $$3 % 100}' $(LUA_INCDIR)/lua.h)
else ifeq ($(ABI),lua5.1)
  LUA_INCDIR := $(firstword $(wildcard /usr/include/lua5.1 /usr/include/luajit-2.1))
else
  LUA_INCDIR := /usr/include/$(ABI)
endif

CC = gcc
# V=1 shows whole commands.
Q = $(if $(V),,@)
OPTIMIZE = -O3 -g
# SANITIZE=1, with a BUILD of its own, for tools/sanitize.
ifdef SANITIZE
  OPTIMIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
endif
WARN = -Wall -Wextra
# Files named *_kernels.c are compiled once per instruction set; base/dispatch.h says how one is picked. Contraction is
# off, so all of them give the same bits.
INSTRUCTION_SETS := scalar baseline
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
  INSTRUCTION_SETS += avx2 avx512
  DEFINES = -DWF_X86_KERNELS
endif
FLAGS_scalar = -DWF_NO_VECTORS -fno-tree-vectorize -fno-tree-slp-vectorize
FLAGS_baseline = -fopenmp-simd -DWF_VECTOR_BYTES=16
FLAGS_avx2 = -fopenmp-simd -DWF_VECTOR_BYTES=32 -mavx2 -mfma
FLAGS_avx512 = -fopenmp-simd -DWF_VECTOR_BYTES=64 -mavx2 -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl \
	-mprefer-vector-width=512
ALL_CFLAGS = $(OPTIMIZE) -std=c11 $(WARN) -fno-math-errno -fno-trapping-math -ffp-contract=off $(DEFINES) \
	-fPIC -fvisibility=hidden -pthread -Icsrc $(CFLAGS)
# nodelete: finalizers that run late, when a Lua state closes, still find the code.
ALL_LDFLAGS = -shared -pthread -Wl,-z,nodelete $(LDFLAGS)

# C without Lua is compiled once for all Lua versions; csrc/lua once per ABI. csrc/shade and its binding are another
# shared object, because they need libraries.
KERNEL_SOURCES := $(wildcard csrc/*/*_kernels.c)
CORE_SOURCES := $(filter-out csrc/shade/% csrc/direct/% csrc/lua/% $(KERNEL_SOURCES),\
	$(wildcard csrc/*/*.c csrc/*/*/*.c))
LUA_SOURCES := $(filter-out csrc/lua/lua_picture.c csrc/lua/lua_cholmod.c,$(wildcard csrc/lua/*.c))
CORE_OBJECTS := $(CORE_SOURCES:csrc/%.c=$(BUILD)/core/%.o) \
	$(foreach set,$(INSTRUCTION_SETS),$(KERNEL_SOURCES:csrc/%.c=$(BUILD)/core/%.$(set).o))
LUA_OBJECTS := $(LUA_SOURCES:csrc/lua/%.c=$(BUILD)/$(ABI)/lua/%.o)
CORE := $(BUILD)/$(ABI)/weft/core.so

# The picture maker is built where its libraries are; weft.picture says what to install where they are not.
PICTURE_SOURCES := $(wildcard csrc/shade/*.c csrc/lua/lua_picture.c)
PICTURE_OBJECTS := $(patsubst csrc/shade/%.c,$(BUILD)/core/shade/%.o,$(filter csrc/shade/%,$(PICTURE_SOURCES))) \
	$(patsubst csrc/lua/%.c,$(BUILD)/$(ABI)/lua/%.o,$(filter csrc/lua/%,$(PICTURE_SOURCES)))
HAVE_PICTURE := $(and $(wildcard csrc/lua/lua_picture.c),$(shell printf '%s\n' '\#include <embree3/rtcore.h>' \
	'\#include <cglm/cglm.h>' '\#include <stdio.h>' '\#include <png.h>' | $(CC) -E - >/dev/null 2>&1 && echo yes))
PICTURE := $(if $(HAVE_PICTURE),$(BUILD)/$(ABI)/weft/picture_core.so)

# The direct solver likewise. CHOLMOD's supernodal part is under the GPL, and so is this shared object.
HAVE_CHOLMOD := $(and $(wildcard csrc/lua/lua_cholmod.c),$(shell printf '%s\n' '\#include <suitesparse/cholmod.h>' | \
	$(CC) -E - >/dev/null 2>&1 && echo yes))
CHOLMOD_OBJECTS := $(BUILD)/core/direct/cholmod_solver.o $(BUILD)/$(ABI)/lua/lua_cholmod.o
CHOLMOD := $(if $(HAVE_CHOLMOD),$(BUILD)/$(ABI)/weft/cholmod_core.so)

.PHONY: all test demo bench bench-all bench-ccd bench-peers stress check check-all check-quick check-lint \
	check-warnings check-sanitizers check-quick-sanitizers check-rocks check-versions clean install
all: $(CORE) $(PICTURE) $(CHOLMOD)

$(CORE): $(CORE_OBJECTS) $(LUA_OBJECTS)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lm

# Takes from the core's objects what it needs and shares the context with weft.core through the Lua state.
$(BUILD)/$(ABI)/weft/picture_core.so: $(PICTURE_OBJECTS) $(BUILD)/$(ABI)/libweft.a
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lembree3 -lpng -lm

$(BUILD)/$(ABI)/weft/cholmod_core.so: $(CHOLMOD_OBJECTS) $(BUILD)/$(ABI)/libweft.a
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcholmod -lm

$(BUILD)/$(ABI)/libweft.a: $(CORE_OBJECTS) $(filter-out %/module.o,$(LUA_OBJECTS))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/core/%.o: csrc/%.c
	@mkdir -p $(@D)
	@echo "  cc   $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

define kernel_rule
$(BUILD)/core/%.$(1).o: csrc/%.c
	@mkdir -p $$(@D)
	@echo "  cc   $$< ($(1))"
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(FLAGS_$(1)) -DWF_KERNEL_SUFFIX=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach set,$(INSTRUCTION_SETS),$(eval $(call kernel_rule,$(set))))

$(BUILD)/$(ABI)/lua/%.o: csrc/lua/%.c
	@mkdir -p $(@D)
	@echo "  cc   $< ($(ABI))"
	$(Q)$(CC) $(ALL_CFLAGS) -I$(LUA_INCDIR) -MMD -MP -c -o $@ $<

-include $(CORE_OBJECTS:.o=.d) $(LUA_OBJECTS:.o=.d) $(PICTURE_OBJECTS:.o=.d) $(CHOLMOD_OBJECTS:.o=.d)

# ---- tests -----------------------------------------------------------------------------------------------------------

# These install first what the build needs, so they build in a make of their own, which sees what is then there.
BUILD_ALL = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc)) all

# SPECS=path restricts the run to one file or folder.
SPECS ?= spec
test:
	@tools/setup test
	+@$(BUILD_ALL) ABI=lua5.1
	+@$(BUILD_ALL) ABI=lua5.4
	luajit spec/run.lua $(SPECS)

demo:
	@tools/setup build
	+@$(BUILD_ALL) ABI=lua5.1
	luajit examples/dress.lua
	@echo "The results are in out/"

# ---- benchmarks ------------------------------------------------------------------------------------------------------

bench: all
	luajit bench/drape.lua

# The benchmarks that bench/all.lua lists, in at most twenty-two minutes; what needs a peer runs where it is installed.
bench-all: all
	luajit bench/all.lua

stress: all
	luajit bench/stress.lua $(STRESS)

# About an hour.
bench-ccd: all $(BUILD)/bench/ccd.so
	seq 16 | xargs -P 2 -I '{}' luajit bench/ccd.lua random=5e7 adversarial=5e5 cloth=1e6 separated=1e6 seconds=3600 \
	    parts=16 part='{}'
	luajit bench/ccd.lua parts=16 sum

# Blender and Bullet, to compare with.
bench-peers:
	@tools/setup peers

# Kernels that bench/common.lua loads; what the machine can do is measured with all that it has.
$(BUILD)/bench/machine.so: bench/machine.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -march=native -mprefer-vector-width=512 -ffp-contract=fast -shared -o $@ $<

$(BUILD)/bench/sheet.so $(BUILD)/bench/models.so $(BUILD)/bench/air.so: $(BUILD)/bench/%.so: bench/%.c $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -o $@ $(filter %.c %.o,$^) -lm

$(BUILD)/bench/models.so $(BUILD)/bench/air.so: bench/rippled_sheet.c bench/rippled_sheet.h

# With the exact judge, which needs GMP.
$(BUILD)/bench/ccd.so: bench/ccd.c $(wildcard bench/*_contact.[ch] bench/exact_polynomial.[ch]) $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -o $@ $(filter %.c %.o,$^) -lgmp -lm

BULLET_INCDIR ?= /usr/include/bullet
$(BUILD)/bench/bullet_sheet: bench/peers/bullet_sheet.cpp
	@mkdir -p $(@D)
	$(Q)$(CXX) -O3 -march=native $(WARN) -isystem $(BULLET_INCDIR) -o $@ $< -lBulletSoftBody -lBulletDynamics \
	    -lBulletCollision -lLinearMath

# ---- checks ----------------------------------------------------------------------------------------------------------

SANITIZED_SPECS = $(wildcard spec/lua spec/weft spec/io spec/garment/garmentcode_spec.lua)

check:
	@tools/setup check
	+@$(MAKE) --no-print-directory check-all

check-all: check-lint check-warnings check-sanitizers check-rocks check-versions
check-quick: check-lint check-warnings check-quick-sanitizers check-rocks

check-quick-sanitizers:
	+@$(MAKE) --no-print-directory check-sanitizers WEFT_INTERPRETERS=lua5.4

check-lint:
	luacheck --no-color -q .

check-warnings:
	+@for compiler in gcc clang; do for abi in lua5.1 lua5.4; do \
	    $(BUILD_ALL) BUILD=build/$$compiler CC=$$compiler ABI=$$abi CFLAGS=-Werror || exit 1; \
	done; done

check-sanitizers:
	+@for abi in lua5.1 lua5.4; do \
	    $(BUILD_ALL) BUILD=build/asan SANITIZE=1 ABI=$$abi || exit 1; \
	done
	$(if $(WEFT_INTERPRETERS),WEFT_INTERPRETERS="$(WEFT_INTERPRETERS)") tools/sanitize $(SANITIZED_SPECS)

# The API specs under the versions that make test leaves out.
check-versions:
	+@for abi in lua5.2 lua5.3; do $(BUILD_ALL) ABI=$$abi || exit 1; done
	WEFT_INTERPRETERS="lua5.2 lua5.3" luajit spec/run.lua $(wildcard spec/lua spec/weft spec/io)

# LuaRocks from one tree for two versions, one after the other, without a network.
check-rocks:
	tools/check_rocks

# ---- LuaRocks --------------------------------------------------------------------------------------------------------

install: all
	mkdir -p "$(INST_LIBDIR)/weft" "$(INST_LUADIR)/weft"
	cp $(CORE) $(PICTURE) $(CHOLMOD) "$(INST_LIBDIR)/weft/"
	cp -r lua/weft/. "$(INST_LUADIR)/weft/"

clean:
	rm -rf $(BUILD)
