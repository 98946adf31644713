//! The part of a source line that a message shows.

use crate::shorten::is_long_message;

/// The most columns of a line that are shown: those of a page of text.
const COLUMNS: usize = 120;

/// Returns whether a line has more bytes than columns are shown, or a message more bytes than
/// [`shortened`](crate::shortened) shows.
#[must_use]
pub fn is_long(line: &[u8], message: &[u8]) -> bool {
    line.len() > COLUMNS || is_long_message(message)
}

/// Returns a line of a text, from 1, and a line with a caret below its column, from 1 and in characters, both without
/// the end of the line. Of a line with more than 120 characters, the part around the caret is shown.
/// `None` if the text has no such line.
///
/// ```
/// let text = "x = 1\nkernel = sdsc(1)\n";
/// assert_eq!(spyre_files::excerpt(text, 2, 10).as_deref(), Some("kernel = sdsc(1)\n         ^"));
/// ```
#[must_use]
pub fn excerpt(text: &str, line: usize, column: usize) -> Option<String> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let characters: Vec<char> = line.chars().collect();
    let place = column.saturating_sub(1);
    let (window, place) = if characters.len() <= COLUMNS {
        (characters, place)
    } else {
        let last_start = characters.len() - COLUMNS;
        let start = place.saturating_sub(COLUMNS / 2).min(last_start);
        let mut window = characters[start..start + COLUMNS].to_vec();
        if start > 0 {
            window[..3].fill('.');
        }
        if start < last_start {
            window[COLUMNS - 3..].fill('.');
        }
        (window, place - start)
    };
    // Tabs before the caret are as wide as in the line above.
    let before = window.iter().map(|c| if *c == '\t' { '\t' } else { ' ' });
    let indent: String = before.chain(std::iter::repeat(' ')).take(place).collect();
    let shown: String = window.into_iter().collect();
    Some(format!("{shown}\n{indent}^"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_whole() {
        assert_eq!(excerpt("a\n\tb c\n", 2, 4).as_deref(), Some("\tb c\n\t  ^"));
        // The end of a line, and beyond it.
        assert_eq!(excerpt("ab\n", 1, 3).as_deref(), Some("ab\n  ^"));
        assert_eq!(excerpt("ab\n", 2, 1), None);
        assert_eq!(excerpt("ab\n", 0, 1), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let line = format!("{}!{}", "a".repeat(6000), "b".repeat(6000));
        let shown = excerpt(&line, 1, 6001).expect("a line");
        let (window, caret) = shown.split_once('\n').expect("two lines");
        assert_eq!(window.chars().count(), COLUMNS);
        assert!(
            window.starts_with("...a") && window.ends_with("b..."),
            "{window}"
        );
        assert_eq!(window.find('!'), caret.find('^'));
        // Columns are characters.
        let line = line.replace('a', "\u{e9}").replace('b', "\u{20ac}");
        let shown = excerpt(&line, 1, 6001).expect("a line");
        let (window, caret) = shown.split_once('\n').expect("two lines");
        assert_eq!(window.chars().count(), COLUMNS);
        assert!(
            window.starts_with("...\u{e9}") && window.ends_with("\u{20ac}..."),
            "{window}"
        );
        assert_eq!(window.chars().position(|it| it == '!'), caret.find('^'));
        // At both ends.
        for (column, place) in [(1, 0), (12001, COLUMNS - 1)] {
            let shown = excerpt(&line, 1, column).expect("a line");
            let (window, caret) = shown.split_once('\n').expect("two lines");
            assert_eq!(window.chars().count(), COLUMNS, "{column}");
            assert_eq!(caret.find('^'), Some(place), "{column}");
        }
    }
}
