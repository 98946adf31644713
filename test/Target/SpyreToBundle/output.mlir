// Where a bundle may be written.

// Missing parents are made; slashes at the end, dots and odd bytes in names are part of paths.
// RUN: rm -rf %t %t.out %t.full %t.race %t.cwd
// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-translate --verify-bundle %t
// RUN: mkdir %t.out && for path in %t.out/a/b/c %t.out/slash/ %t.out/dot/. %t.out/a/../up "%t.out/blank name" "%t.out/$(printf 'odd\377')"; do \
// RUN:   spyre-translate --spyre-to-bundle %s -o "$path" && diff -r %t "$path" || exit 1; done
// Nothing else is left behind.
// RUN: test "$(ls -A %t.out | wc -l)" -eq 6

// As readable as other directories, whatever its parent is.
// RUN: mkdir -m 1777 %t.out/sticky && umask 027 && spyre-translate --spyre-to-bundle %s -o %t.out/sticky/bundle
// RUN: stat -c %%A %t.out/sticky/bundle | FileCheck %s --check-prefix=MODE
// MODE: drwxr-x---

// A bundle, complete or not, and an empty directory are replaced, also behind a link.
// RUN: mkdir %t.out/old %t.out/old/spyreCodeDir && touch %t.out/old/sdsc_7.json %t.out/old/spyreCodeDir/code && mkdir %t.out/empty
// RUN: for path in %t.out/old %t.out/old %t.out/empty; do spyre-translate --spyre-to-bundle %s -o $path && diff -r %t $path || exit 1; done
// RUN: rm %t.out/old/* && ln -s old %t.out/link && spyre-translate --spyre-to-bundle %s -o %t.out/link
// RUN: test -L %t.out/link && diff -r %t %t.out/old

// Anything else stays as it is.
// RUN: mkdir %t.out/mine && touch %t.out/mine/notes %t.out/mine/sdsc_0.json
// RUN: not spyre-translate --spyre-to-bundle %s -o %t.out/mine 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: '{{.*}}out/mine' holds 'notes', which is not part of a bundle; refusing to replace the directory
// RUN: mkdir -p %t.out/odd/sdsc_0.json/mine
// RUN: not spyre-translate --spyre-to-bundle %s -o %t.out/odd 2>&1 | FileCheck %s --check-prefix=SUBDIR
// SUBDIR: error: '{{.*}}out/odd' holds 'sdsc_0.json', which is not part of a bundle
// RUN: test -e %t.out/mine/notes && test -e %t.out/mine/sdsc_0.json && test -e %t.out/odd/sdsc_0.json/mine
// RUN: touch %t.out/file && not spyre-translate --spyre-to-bundle %s -o %t.out/file 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: '{{.*}}out/file' exists and is not a directory
// RUN: not spyre-translate --spyre-to-bundle %s -o %t.out/file/under 2>&1 | FileCheck %s --check-prefix=UNDER
// UNDER: error: cannot write the bundle '{{.*}}out/file/under': Not a directory
// RUN: ln -s nowhere %t.out/dangling && not spyre-translate --spyre-to-bundle %s -o %t.out/dangling 2>&1 | FileCheck %s --check-prefix=DANGLING
// DANGLING: error: '{{.*}}out/dangling' exists and is not a directory
// RUN: test -f %t.out/file && test -L %t.out/dangling && test ! -e %t.out/nowhere

// Not under the feet of who asks for it.
// RUN: mkdir -p %t.out/cwd/inner && for path in . .. / ../inner; do \
// RUN:   (cd %t.out/cwd/inner && not spyre-translate --spyre-to-bundle %s -o $path) 2>> %t.cwd || exit 1; done
// RUN: FileCheck %s --check-prefix=CWD < %t.cwd
// CWD-COUNT-4: is the current directory or holds it; the bundle needs a directory of its own
// RUN: not spyre-translate --spyre-to-bundle %s -o %t.missing/.. 2>&1 | FileCheck %s --check-prefix=NONAME
// NONAME: error: '{{.*}}missing/..' does not name a directory
// RUN: test ! -e %t.missing

// A disk that fills up: nothing is there, and what was there still is. The limit is 8 KiB for a file; sdsc_0.json has more.
// RUN: mkdir %t.full && (trap '' XFSZ; ulimit -f 8; not spyre-translate --spyre-to-bundle %s -o %t.full/bundle) 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write the bundle '{{.*}}full/bundle': File too large
// RUN: test -z "$(ls -A %t.full)"
// RUN: mkdir %t.full/bundle && touch %t.full/bundle/sdsc_7.json
// RUN: (trap '' XFSZ; ulimit -f 8; not spyre-translate --spyre-to-bundle %s -o %t.full/bundle) 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: test "$(ls -A %t.full)" = bundle && test "$(ls -A %t.full/bundle)" = sdsc_7.json
// RUN: not spyre-translate --spyre-to-bundle %s -o /proc/none/bundle 2>&1 | FileCheck %s --check-prefix=PROC
// PROC: error: cannot write the bundle '/proc/none/bundle':

// Several writers: each succeeds, and one complete bundle is left.
// RUN: mkdir %t.race && for i in 1 2 3 4; do spyre-translate --spyre-to-bundle %s -o %t.race/bundle || touch %t.race/failed & done; wait
// RUN: diff -r %t %t.race/bundle && test "$(ls -A %t.race)" = bundle

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
    %y = spyre.neg %a tile [0: "A" in 2] : !t
    return %y : !t
  }
}
