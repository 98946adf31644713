//! A small writer of SVG and of HTML: elements are closed, and text and attribute values are escaped.

use std::fmt::Write as _;

/// An attribute of an element.
pub type Attribute<'a> = (&'static str, &'a dyn std::fmt::Display);

/// A drawing that is being written.
#[derive(Debug, Default)]
pub struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Begins an element, to be ended by [`Svg::close`].
    pub fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.tag(name, attributes, ">");
        self.text.push('\n');
        self.open.push(name);
    }

    /// Ends the element that was opened last.
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.text.push_str("</");
            self.text.push_str(name);
            self.text.push_str(">\n");
        }
    }

    /// Writes an element without content.
    pub fn empty(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.tag(name, attributes, "/>");
        self.text.push('\n');
    }

    /// Writes an element that holds text.
    pub fn text(&mut self, name: &'static str, attributes: &[Attribute<'_>], content: &str) {
        self.tag(name, attributes, ">");
        escape(&mut self.text, content);
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }

    /// Adds another drawing, closed.
    pub fn append(&mut self, part: Self) {
        self.text.push_str(&part.finish());
    }

    /// Returns the drawing, with all elements closed.
    #[must_use]
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn tag(&mut self, name: &str, attributes: &[Attribute<'_>], end: &str) {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            self.text.push(' ');
            self.text.push_str(key);
            self.text.push_str("=\"");
            let mut plain = String::new();
            // Writing to a string does not fail.
            let _ = write!(plain, "{value}");
            escape(&mut self.text, &plain);
            self.text.push('"');
        }
        self.text.push_str(end);
    }
}

/// Appends text, and escapes the characters with a meaning in XML. Characters that XML cannot hold become U+FFFD.
fn escape(to: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '"' => to.push_str("&quot;"),
            '\t' | '\n' | '\r' => to.push(character),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => to.push('\u{fffd}'),
            _ => to.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_nest_and_are_closed() {
        let mut svg = Svg::default();
        svg.open("svg", &[("width", &3)]);
        svg.open("g", &[]);
        svg.empty("rect", &[("x", &1), ("class", &"a")]);
        svg.close();
        svg.text("text", &[], "a");
        svg.open("g", &[]);
        assert_eq!(
            svg.finish(),
            "<svg width=\"3\">\n<g>\n<rect x=\"1\" class=\"a\"/>\n</g>\n<text>a</text>\n<g>\n</g>\n</svg>\n"
        );
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        let mut svg = Svg::default();
        svg.text("text", &[("id", &"\"<&")], "<script>&amp;\u{1}</script>");
        assert_eq!(
            svg.finish(),
            "<text id=\"&quot;&lt;&amp;\">&lt;script&gt;&amp;amp;\u{fffd}&lt;/script&gt;</text>\n"
        );
    }
}
