// Where a bundle may be written.

// Missing parents are made; slashes at the end, dots and odd bytes in names are part of paths.
// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: mkdir work && for path in work/a/b/c work/slash/ work/dot/. work/a/../up "work/blank name" "work/$(printf 'odd\377')"; do \
// RUN:   spyre-translate --spyre-to-bundle %s -o "$path" && diff -r %t "$path" || exit 1; done
// Nothing else is left behind.
// RUN: test "$(ls -A work | wc -l)" -eq 6

// As readable as other directories, whatever its parent is.
// RUN: mkdir -m 1777 work/shared && umask 027 && spyre-translate --spyre-to-bundle %s -o work/shared/bundle
// RUN: stat -c %%A work/shared/bundle | FileCheck %s --check-prefix=MODE
// MODE: drwxr-x---

// A bundle, complete or not, and an empty directory are replaced, also behind a link.
// RUN: mkdir work/old work/old/spyreCodeDir && touch work/old/sdsc_7.json work/old/spyreCodeDir/code && mkdir work/empty
// RUN: for path in work/old work/old work/empty; do spyre-translate --spyre-to-bundle %s -o $path && diff -r %t $path || exit 1; done
// RUN: rm work/old/* && ln -s old work/link && spyre-translate --spyre-to-bundle %s -o work/link
// RUN: test -L work/link && diff -r %t work/old

// Anything else stays as it is.
// RUN: mkdir work/mine && touch work/mine/notes work/mine/sdsc_0.json
// RUN: not spyre-translate --spyre-to-bundle %s -o work/mine 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: 'work/mine' holds 'notes', which is not part of a bundle; refusing to replace the directory
// RUN: mkdir -p work/odd/sdsc_0.json/mine
// RUN: not spyre-translate --spyre-to-bundle %s -o work/odd 2>&1 | FileCheck %s --check-prefix=SUBDIR
// SUBDIR: error: 'work/odd' holds 'sdsc_0.json', which is not part of a bundle
// RUN: test -e work/mine/notes && test -e work/mine/sdsc_0.json && test -e work/odd/sdsc_0.json/mine
// RUN: touch work/file && not spyre-translate --spyre-to-bundle %s -o work/file 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: 'work/file' exists and is not a directory
// RUN: not spyre-translate --spyre-to-bundle %s -o work/file/under 2>&1 | FileCheck %s --check-prefix=UNDER
// UNDER: error: cannot write the bundle 'work/file/under': Not a directory
// RUN: ln -s nowhere work/dangling && not spyre-translate --spyre-to-bundle %s -o work/dangling 2>&1 | FileCheck %s --check-prefix=DANGLING
// DANGLING: error: 'work/dangling' exists and is not a directory
// RUN: test -f work/file && test -L work/dangling && test ! -e work/nowhere

// Not under the feet of who asks for it.
// RUN: mkdir -p work/cwd/inner && for path in . .. / ../inner; do \
// RUN:   (cd work/cwd/inner && not spyre-translate --spyre-to-bundle %s -o $path) 2>> %t.cwd || exit 1; done
// RUN: FileCheck %s --check-prefix=CWD < %t.cwd
// CWD-COUNT-4: is the current directory or holds it; the bundle needs a directory of its own
// RUN: not spyre-translate --spyre-to-bundle %s -o missing/.. 2>&1 | FileCheck %s --check-prefix=NONAME
// NONAME: error: 'missing/..' does not name a directory
// RUN: test ! -e missing

// A disk that fills up: nothing is there, and what was there still is. The limit is 8 KiB for a file; sdsc_0.json has more.
// RUN: mkdir full && (trap '' XFSZ; ulimit -f 8; not spyre-translate --spyre-to-bundle %s -o full/bundle) 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write the bundle 'full/bundle': File too large
// RUN: test -z "$(ls -A full)"
// RUN: mkdir full/bundle && touch full/bundle/sdsc_7.json
// RUN: (trap '' XFSZ; ulimit -f 8; not spyre-translate --spyre-to-bundle %s -o full/bundle) 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: test "$(ls -A full full/bundle | tr '\n' ' ')" = "full: bundle  full/bundle: sdsc_7.json "
// RUN: not spyre-translate --spyre-to-bundle %s -o /proc/none/bundle 2>&1 | FileCheck %s --check-prefix=PROC
// PROC: error: cannot write the bundle '/proc/none/bundle':

// Several writers: each succeeds, and one complete bundle is left.
// RUN: mkdir race && for i in 1 2 3 4; do spyre-translate --spyre-to-bundle %s -o race/bundle || touch race/failed & done; wait
// RUN: diff -r %t race/bundle && test "$(ls -A race)" = bundle

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
    %y = spyre.neg %a tile [0: "A" in 2] : !t
    return %y : !t
  }
}
