"""`python -m bench.inside MODULE ARGUMENTS`: run a module of the benchmark after Django has been set up."""

import runpy
import sys

import django

if __name__ == "__main__":
    django.setup()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
