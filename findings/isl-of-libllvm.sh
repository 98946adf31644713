#!/usr/bin/env bash
# libLLVM.so of Debian's llvm-toolchain-22 (libllvm22 1:22.1.8-1~deb12u1) exports the isl that is inside of Polly, under isl's
# own names: 4,942 functions. A program that uses the system's isl (libisl23 0.25-1.1) and LLVM calls the one or the other by
# the order of -lisl and -lLLVM, and a library that was linked with -lisl alone calls LLVM's if the program that loads it was
# linked with LLVM.
#
# The two are not the same library: the system's has numbers of GMP, LLVM's of IMath, and 89 functions of the system's are not
# in LLVM's, so one process may get objects of both. One would expect hidden names, as Polly links isl statically.
#
# Exit code 0: the packages are as described. Needs apt-get with these packages in its sources, dpkg and a C compiler.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libllvm22=1:22.1.8-1~deb12u1 libisl23=0.25-1.1 libisl-dev=0.25-1.1 2> /dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
shared=$(find root -name 'libLLVM.so.22*' -type f | head -1)
mkdir link && ln -s "../$shared" link/libLLVM.so
ln -sf "$PWD/$shared" "link/$(basename "$(objdump -p "$shared" | sed -n 's/ *SONAME *//p')")"
for name in libisl.so libisl.so.23; do ln -s "../$(find root -name libisl.so.23)" "link/$name"; done

cat > version.c <<'C'
#include <stdio.h>
const char *isl_version(void);
void LLVMDisposeMessage(char *);
void version(void) { printf("%s", isl_version()); }
#ifdef PROGRAM
int main(void) { LLVMDisposeMessage(0); version(); return 0; }
#endif
C
cat > host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
void LLVMDisposeMessage(char *);
int main(void) {
  LLVMDisposeMessage(0);
  void *library = dlopen("./plugin.so", RTLD_NOW);
  if (!library) { puts(dlerror()); return 1; }
  void (*version)(void) = (void (*)(void))dlsym(library, "version");
  version();
  return 0;
}
C
options=(-Llink -Wl,-rpath,"$PWD/link" -Wl,--no-as-needed -Wl,--allow-shlib-undefined)
cc -DPROGRAM version.c -o llvm_first "${options[@]}" -lLLVM -lisl
cc -DPROGRAM version.c -o isl_first "${options[@]}" -lisl -lLLVM
cc -shared -fPIC version.c -o plugin.so "${options[@]}" -lisl
cc host.c -o host "${options[@]}" -lLLVM -ldl

exported=$(nm -D --defined-only link/libLLVM.so | grep -c ' T isl_')
absent=$(comm -23 <(nm -D --defined-only link/libisl.so | sed -n 's/.* T \(isl_[a-z0-9_]*\).*/\1/p' | sort -u) \
    <(nm -D --defined-only link/libLLVM.so | sed -n 's/.* T \(isl_[a-z0-9_]*\)@.*/\1/p' | sort -u) | wc -l)
found="exports $exported functions of isl, lacks $absent; -lLLVM -lisl: $(./llvm_first); -lisl -lLLVM: $(./isl_first); plugin with -lisl: $(./host)"
echo "$found"
[[ $found == "exports 4942 functions of isl, lacks 89;"*"-lLLVM -lisl: "*IMath*"-lisl -lLLVM: "*GMP*"plugin with -lisl: "*IMath* ]] ||
    { echo "the packages are no longer as described" >&2; exit 1; }
