//! Kinds of outcomes: messages without their numbers.

/// Largest number of letters of the message of a class.
const MOST_LETTERS: usize = 240;

/// Returns the first line of a message without its numbers: an expression in them becomes one `N`.
#[must_use]
pub fn normalized(message: &str) -> String {
    let line = message.lines().next().unwrap_or("there was no message");
    let mut text = String::new();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_ascii_digit() {
            while letters.next_if(char::is_ascii_digit).is_some() {}
            text.push('N');
        } else {
            text.push(letter);
        }
    }
    // Shapes, layouts and lists differ in their lengths.
    let mut before = String::new();
    while before != text {
        before.clone_from(&text);
        for (from, to) in [
            ("N, N", "N"),
            ("NxN", "N"),
            ("N x N", "N"),
            ("dN, dN", "dN"),
        ] {
            text = text.replace(from, to);
        }
    }
    // An operation that is not supported is one of many.
    if let Some((before, after)) = text.split_once("op '")
        && let Some((_, after)) = after.split_once('\'')
    {
        text = format!("{before}op{after}");
    }
    let text = within(&text, "(dN) -> (", ')', "LAYOUT");
    let mut text = within(&text, "#spyre.merged<", '>', "NAME");
    if text.len() > MOST_LETTERS {
        let end = text.floor_char_boundary(MOST_LETTERS);
        text.truncate(end);
    }
    text
}

/// Replaces every part of a text that starts with `begin` and ends with the letter `close` that closes its last bracket.
fn within(text: &str, begin: &str, close: char, with: &str) -> String {
    let open = if close == ')' { '(' } else { '<' };
    let mut left = text;
    let mut replaced = String::new();
    while let Some((before, after)) = left.split_once(begin) {
        replaced.push_str(before);
        replaced.push_str(with);
        let mut depth = 1;
        let end = after.char_indices().find(|(_, letter)| {
            depth += i32::from(*letter == open) - i32::from(*letter == close);
            depth == 0
        });
        left = end.map_or("", |(at, _)| &after[at + 1..]);
    }
    replaced + left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_differ_in_numbers() {
        assert_eq!(normalized("12 of 3 in [4, 5x6]\nmore"), "N of N in [N]");
        assert_eq!(
            normalized("a (d0, d1) -> (d1 floordiv 64, (d0), d1 mod 64), size [1, 2]"),
            "a LAYOUT, size [N]"
        );
        assert_eq!(
            normalized("pass: op 'max' (number 1): no"),
            "pass: op (number N): no"
        );
    }
}
