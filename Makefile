# What people run. `make demo` shows the main job, `make test` checks everything; both install what
# is missing first, and say so.

CARGO ?= cargo
DEMO_FILE ?= examples/date_validation.c
DEMO_FUNCTION ?= date_check
DEMO_OUT ?= target/demo
BENCH_TABLE ?= speed
FUZZ_FIRST ?=

.PHONY: help demo test lint bench fuzz fuzz-lazy fuzz-verdicts install-deps install-test-deps clean

help:
	@echo "make demo          run the main job on $(DEMO_FILE)"
	@echo "make test          check formatting, lints, documentation, and run all tests"
	@echo "make bench         print a table of measurements: $(BENCH_TABLE)"
	@echo "make fuzz          compare the machine with gcc and clang on random programs, without end"
	@echo "make fuzz-lazy     compare searches with and without lazy expansion likewise"
	@echo "make fuzz-verdicts hold verdicts on random units against native runs likewise"
	@echo "make lint          formatting, clippy, rustdoc"
	@echo "make install-deps  install what building and running needs"

demo: install-deps
	$(CARGO) build --release --locked -p attest
	target/release/attest cover $(DEMO_FILE) -f $(DEMO_FUNCTION) -o $(DEMO_OUT)

test: install-test-deps lint
	tools/test.sh

lint: install-deps
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items --locked

bench: install-deps
	$(CARGO) build --release --locked -p attest
	target/release/attest bench $(BENCH_TABLE)

fuzz: install-test-deps
	$(CARGO) build --release --locked -p attest
	$(CARGO) run --release --locked -p attest --example fuzz -- target/release/attest

fuzz-lazy: install-test-deps
	$(CARGO) build --release --locked -p attest
	$(CARGO) run --release --locked -p attest --example fuzz_lazy -- target/release/attest

fuzz-verdicts: install-test-deps
	$(CARGO) build --release --locked -p attest
	$(CARGO) run --release --locked -p attest --example fuzz_verdicts -- target/release/attest $(FUZZ_FIRST)

install-deps:
	@tools/install-deps.sh build

install-test-deps:
	@tools/install-deps.sh test

clean:
	$(CARGO) clean
