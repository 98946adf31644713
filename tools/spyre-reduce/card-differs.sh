#!/bin/sh
# Interesting for spyre-reduce, with exit code 1: a program that compiles, and whose results on the simulated card differ
# from its results on the CPU. The last word is the program; words before it go to spyre-run, such as --device-floats=dl16.
for program; do :; done
results=$(spyre-run --on=card --random-seed=1 --poison --compare="$program" "$@" 2>/dev/null)
# A program that does not compile has no results, and is not the one that was looked for.
echo "$results" | grep -q '^result [0-9]*: [1-9][0-9]* of [0-9]* elements differ' && exit 1
exit 0
