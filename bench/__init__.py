"""What Countersign costs in time, memory, connections and tokens. `make bench` measures and writes docs/benchmarks.md."""
