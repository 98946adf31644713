//! Shortens long regular listings for the screen, saying how much is left out.

/// A run of regular lines is shortened from this length on.
const LONG_RUN: usize = 12;
/// Lines kept at the start and at the end of a shortened run.
const KEPT: (usize, usize) = (4, 2);
/// Longest period of a regular run: the number of kinds of lines that may alternate.
const MAX_PERIOD: usize = 2;
/// Longest line shown whole, in characters.
const WIDE: usize = 160;

/// Returns `text` with long parts replaced. Each long run of lines that differ only in their numbers is replaced by its
/// ends and a count of the lines between. The middle of very long lines is replaced by a count of characters.
pub(crate) fn shorten(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shapes: Vec<String> = lines.iter().map(|l| shape(l)).collect();
    let mut result = String::new();
    let mut at = 0;
    while at < lines.len() {
        let run = (1..=MAX_PERIOD)
            .map(|period| run_length(&shapes[at..], period))
            .max()
            .unwrap_or(1);
        let shown = |result: &mut String, range: std::ops::Range<usize>| {
            for line in &lines[range] {
                result.push_str(&narrow(line));
                result.push('\n');
            }
        };
        if run >= LONG_RUN {
            let indent = &lines[at][..lines[at].len() - lines[at].trim_start().len()];
            shown(&mut result, at..at + KEPT.0);
            result.push_str(&format!(
                "{indent}... {} lines ...\n",
                run - KEPT.0 - KEPT.1
            ));
            shown(&mut result, at + run - KEPT.1..at + run);
            at += run;
        } else {
            shown(&mut result, at..at + 1);
            at += 1;
        }
    }
    result
}

/// Returns the line with every number replaced by the same sign.
fn shape(line: &str) -> String {
    let mut result = String::new();
    for c in line.chars() {
        if !c.is_ascii_digit() {
            result.push(c);
        } else if !result.ends_with('#') {
            result.push('#');
        }
    }
    result
}

/// Returns the number of lines, from the first one on, that repeat with `period`; 1 when not even the second period
/// matches.
fn run_length(shapes: &[String], period: usize) -> usize {
    let repeated = shapes
        .iter()
        .zip(shapes.iter().skip(period))
        .take_while(|(a, b)| a == b)
        .count();
    if repeated == 0 { 1 } else { repeated + period }
}

fn narrow(line: &str) -> String {
    let count = line.chars().count();
    if count <= WIDE {
        return line.to_owned();
    }
    let (head, tail) = (WIDE / 2, WIDE / 4);
    let head: String = line.chars().take(head).collect();
    let tail: String = line.chars().skip(count - tail).collect();
    let left_out = count - head.chars().count() - tail.chars().count();
    format!("{head} ... {left_out} characters ... {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_stays() {
        let text = "a\n  b1\n  b2\nc\n";
        assert_eq!(shorten(text), text);
    }

    #[test]
    fn long_runs_lose_their_middle() {
        let run: String = (0..40)
            .map(|n| format!("  %c{n} = const {}\n", n * 128))
            .collect();
        let result = shorten(&format!("head\n{run}tail\n"));
        assert_eq!(
            result,
            "head\n  %c0 = const 0\n  %c1 = const 128\n  %c2 = const 256\n  %c3 = const 384\n  ... 34 lines ...\n  \
             %c38 = const 4864\n  %c39 = const 4992\ntail\n"
        );
    }

    #[test]
    fn alternating_lines_are_one_run() {
        let run: String = (0..31).map(|n| format!("a{n}\nb{n}\n")).collect();
        assert_eq!(shorten(&run).lines().count(), KEPT.0 + 1 + KEPT.1);
        assert!(shorten(&run).contains("... 56 lines ..."));
    }

    #[test]
    fn nothing_is_lost_from_the_count() {
        let run: String = (0..25).map(|n| format!("x{n}\n")).collect();
        let left_out = 25 - KEPT.0 - KEPT.1;
        assert!(shorten(&run).contains(&format!("... {left_out} lines ...")));
    }

    #[test]
    fn wide_lines_lose_their_middle() {
        let line = "ä".repeat(300);
        let result = shorten(&line);
        assert!(result.contains("... 180 characters ..."), "{result}");
    }
}
