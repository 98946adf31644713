//! Tables that commands write into pages.

/// Returns the text with `new` between two lines of it. `None` if it lacks one of them.
pub fn between(text: &str, marks: [&str; 2], new: &str) -> Option<String> {
    let [first, last] = marks;
    let (before, rest) = text.split_once(first)?;
    let (_, after) = rest.split_once(last)?;
    Some(format!("{before}{first}\n\n{new}\n{last}{after}"))
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn the_table_is_replaced_and_nothing_else() {
        let marks = ["<b>", "<e>"];
        let text = "a\n<b>\n\nold\n\n<e>\nz\n";
        let new = between(text, marks, "| x |\n").unwrap();
        assert_eq!(new, "a\n<b>\n\n| x |\n\n<e>\nz\n");
        assert_eq!(between(&new, marks, "| x |\n"), Some(new.clone()));
        assert_eq!(between("a\n<b>\n", marks, ""), None);
    }
}
