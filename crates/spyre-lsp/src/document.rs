//! The text of a document, with positions in the terms of the protocol.
//!
//! The protocol counts columns in units of UTF-16, MLIR in bytes. Everything else here counts in bytes from the start
//! of the text.

use std::ops::Range;

use serde_json::{Value, json};

/// The text between two programs of a document: MLIR's server reads each program by itself.
const SEPARATOR: &str = "// -----";

/// The starts of the lines of a text, in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// Returns the starts of the lines of a text.
    pub(crate) fn of(text: &str) -> Self {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    /// Returns the offset of a line and a column as MLIR counts them, both from 1, the column in bytes; `None` past
    /// the last line.
    pub(crate) fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let start = self.0.get(line.checked_sub(1)?)?;
        Some(start + column.checked_sub(1)?)
    }

    /// Returns the line, from 0, that an offset is in, and its start.
    fn line(&self, offset: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= offset) - 1;
        (line, self.0[line])
    }
}

/// A document of the editor.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    uri: String,
    text: String,
    lines: Lines,
}

impl Document {
    /// Returns the document of a URI and a text.
    pub(crate) fn new(uri: &str, text: String) -> Self {
        let lines = Lines::of(&text);
        Self {
            uri: uri.to_owned(),
            text,
            lines,
        }
    }

    /// Returns the URI.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the name of the file, for messages.
    pub(crate) fn name(&self) -> &str {
        self.uri.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the offset of a position of the protocol, which may be past the end of its line; `None` if there is no
    /// such line.
    pub(crate) fn offset(&self, position: &Value) -> Option<usize> {
        let number = |key: &str| usize::try_from(position[key].as_u64()?).ok();
        let (line, character) = (number("line")?, number("character")?);
        let start = *self.lines.0.get(line)?;
        let content = self.text[start..].lines().next().unwrap_or_default();
        let mut units = 0;
        for (at, letter) in content.char_indices() {
            if units >= character {
                return Some(start + at);
            }
            units += letter.len_utf16();
        }
        Some(start + content.len())
    }

    /// Returns a range of bytes in the terms of the protocol.
    pub(crate) fn range(&self, range: &Range<usize>) -> Value {
        json!({"start": self.position(range.start), "end": self.position(range.end)})
    }

    fn position(&self, offset: usize) -> Value {
        let (line, start) = self.lines.line(offset);
        let units: usize = self.text[start..offset].chars().map(char::len_utf16).sum();
        json!({"line": line, "character": units})
    }

    /// Returns the programs of the document, in order.
    pub(crate) fn programs(&self) -> Vec<String> {
        let ranges = self.ranges().into_iter();
        ranges.map(|range| self.program(&range)).collect()
    }

    /// Returns the program that an offset is in; `None` in a separator.
    pub(crate) fn program_at(&self, offset: usize) -> Option<String> {
        let mut ranges = self.ranges().into_iter();
        let range = ranges.find(|range| range.start <= offset && offset <= range.end)?;
        Some(self.program(&range))
    }

    /// Returns the text of a program after blanks for the programs before it: so an offset, a line or a column is
    /// that of the document.
    fn program(&self, range: &Range<usize>) -> String {
        let before = self.text[..range.start].bytes();
        let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
        let mut program: String = before.map(blank).collect();
        program.push_str(&self.text[range.clone()]);
        program
    }

    fn ranges(&self) -> Vec<Range<usize>> {
        let separators = self.text.match_indices(SEPARATOR);
        let ends = separators.clone().map(|(at, _)| at);
        let starts = separators.map(|(at, separator)| at + separator.len());
        let starts = std::iter::once(0).chain(starts);
        let ends = ends.chain(std::iter::once(self.text.len()));
        starts.zip(ends).map(|(start, end)| start..end).collect()
    }
}

/// Returns the range of the word of a text that an offset is in or at: letters, digits, `_`, `.` and `$`. Empty if
/// there is none.
pub(crate) fn word_at(text: &str, offset: usize) -> Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let (left, right) = text.as_bytes().split_at(offset);
    let left = left.iter().rev().take_while(|byte| is_part(byte)).count();
    let right = right.iter().take_while(|byte| is_part(byte)).count();
    offset - left..offset + right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_in_units_of_utf_16() {
        let document = Document::new("file:///a", "a\n\u{1d6fc}\u{e9}x\r\ny".to_owned());
        // The first letter of the line has two units and four bytes, the second one unit and two bytes.
        let position = json!({"line": 1, "character": 3});
        let offset = document.offset(&position).expect("a position of the text");
        assert_eq!(&document.text()[offset..=offset], "x");
        assert_eq!(document.range(&(offset..offset))["start"], position);
        let past_the_line = document.offset(&json!({"line": 1, "character": 99}));
        assert_eq!(past_the_line, Some(offset + 1));
        assert_eq!(document.offset(&json!({"line": 3, "character": 0})), None);
    }

    #[test]
    fn programs_are_between_separators_and_keep_their_offsets() {
        let text = "a\n// -----\nb";
        let document = Document::new("file:///folder/a.mlir", text.to_owned());
        let second = format!("{}\n{}\nb", " ", " ".repeat(8));
        assert_eq!(document.programs(), ["a\n", second.as_str()]);
        assert_eq!(document.program_at(11), Some(second));
        assert_eq!(document.program_at(4), None);
        assert_eq!(document.name(), "a.mlir");
    }

    #[test]
    fn a_word_has_dots() {
        let text = "%y = spyre.add %a";
        assert_eq!(&text[word_at(text, 7)], "spyre.add");
        assert_eq!(&text[word_at(text, 14)], "spyre.add");
        assert_eq!(&text[word_at(text, 4)], "");
    }
}
