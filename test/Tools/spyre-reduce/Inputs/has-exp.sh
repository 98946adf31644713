#!/bin/sh
# Interesting, with exit code 1: a program with an exponential.
grep -q spyre.exp "$1" && exit 1
exit 0
