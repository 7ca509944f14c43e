# A thin front for scripts/, CMake and ctest: each rule says what it does and
# hands over. Everything built lands in build/, everything fetched in .tools/.

BUILD := build
JOBS := $(shell nproc)
# Without clang 22 (MLIR_DIR is set) the system's compiler builds, which takes
# longer. Asked when it is used: setup may have installed clang by then.
PRESET = $(if $(shell command -v clang++-22),default,gcc)

.DEFAULT_GOAL := help
.PHONY: help setup build test demo format tidy docs clean

help:
	@echo "make demo    build, compile the examples to packages, run their kernels"
	@echo "             (on a GPU where there is one, else emulated) and check them"
	@echo "make test    build and run every test"
	@echo "make build   install what is missing, configure and build"
	@echo "make docs    regenerate the op and pass reference under docs/"
	@echo "make format  format the C++ sources"
	@echo "make tidy    run clang-tidy over the C++ sources"
	@echo "make clean   remove build/"

setup:
	@echo "== setup: what building and testing needs"
	@scripts/setup

$(BUILD)/build.ninja: CMakePresets.json | setup
	@echo "== configure: cmake --preset $(PRESET)"
	@cmake --preset $(PRESET) -B $(BUILD)

build: setup $(BUILD)/build.ninja
	@echo "== build: cmake --build $(BUILD)"
	@cmake --build $(BUILD) -j $(JOBS)

test: build
	@echo "== test: ctest"
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)

demo: build
	@scripts/demo $(BUILD)

docs: build
	@echo "== docs: regenerating the reference under docs/"
	@cmake --build $(BUILD) --target refresh-docs

format:
	@scripts/format

tidy: build
	@scripts/tidy $(BUILD)

clean:
	rm -rf $(BUILD)
