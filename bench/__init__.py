"""What Countersign costs in time, memory, connections and tokens. `make bench` writes docs/benchmarks.md."""
