//! Reads the stack traces that LLVM's signal handler prints.

use std::fmt;

/// One frame: a line such as `4  libMLIR.so.22.1 0x00007fd95aeba8f5 mlir::detail::Parser::parseTupleType() + 126`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// File name of the library or executable.
    pub module: &'a str,
    /// The symbol and the offset in it or, without one, the part of the address that loading does not change.
    place: &'a str,
}

impl fmt::Display for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.module, self.place)
    }
}

/// Libraries are loaded at multiples of a page: the last digits of an address stay.
const DIGITS_IN_PAGE: usize = 3;

/// Returns the frames in `stderr`, innermost first.
pub(crate) fn frames(stderr: &str) -> impl Iterator<Item = Frame<'_>> {
    stderr.lines().filter_map(frame)
}

fn frame(line: &str) -> Option<Frame<'_>> {
    let (number, rest) = line.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let (module, rest) = rest.trim_start().split_once(' ')?;
    let rest = rest.trim_start();
    let (address, symbol) = rest.split_once(' ').unwrap_or((rest, ""));
    let digits = address
        .strip_prefix("0x")
        .filter(|d| u64::from_str_radix(d, 16).is_ok())?;
    let in_page = digits.get(digits.len().saturating_sub(DIGITS_IN_PAGE)..)?;
    let place = if symbol.is_empty() { in_page } else { symbol };
    Some(Frame { module, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack trace of LLVM 22.1.8 with LLVM_DISABLE_SYMBOLIZATION=1.
    const TRACE: &str = "\
Stack dump:
0.\tProgram arguments: mlir-opt deep.mlir
1.\tMLIR Parser: custom op parser 'func.func'
Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH):
0  libLLVM.so.22.1 0x00007fd9544b8786 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) + 54
3  libc.so.6       0x00007fd94f45a050
4  libspyre_plugin.so 0x00007fd95aeba8f5 spyre::parse() + 69
";

    #[test]
    fn frames_of_a_real_trace() {
        let frames: Vec<_> = frames(TRACE).collect();
        let modules: Vec<_> = frames.iter().map(|f| f.module).collect();
        assert_eq!(
            modules,
            ["libLLVM.so.22.1", "libc.so.6", "libspyre_plugin.so"]
        );
        assert_eq!(frames[1].to_string(), "libc.so.6:050");
        assert_eq!(
            frames[2].to_string(),
            "libspyre_plugin.so:spyre::parse() + 69"
        );
    }

    #[test]
    fn load_addresses_do_not_matter() {
        let moved = TRACE.replace("0x00007fd9", "0x00007aa1");
        assert!(frames(TRACE).eq(frames(&moved)));
        let elsewhere = TRACE.replace("5a050", "5a060");
        assert!(!frames(TRACE).eq(frames(&elsewhere)));
    }

    #[test]
    fn other_lines_are_no_frames() {
        assert_eq!(
            frames("x.mlir:1:1: error: 7 0x12\n1 2 3\n\n0\n0 a 0xzz\n").count(),
            0
        );
    }
}
