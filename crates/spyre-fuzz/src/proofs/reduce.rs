//! Makes the text of a program of device operations smaller.
//!
//! The printer writes one operation on a line. So a program is cut after an operation, which becomes its result, and lines
//! are left out. Most of these texts are no programs, and the caller's test refuses them.

/// Returns a smaller text of one function that a test accepts, as it accepts the text itself.
pub(crate) fn reduced(text: &str, accepts: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let ends = 0..lines.len();
    let cut = ends
        .filter_map(|end| cut_after(&lines, end))
        .find(|text| accepts(text));
    let mut text = cut.unwrap_or_else(|| text.to_owned());
    // Later lines first: an operation without a use is left out before its operands are.
    for at in (0..text.lines().count()).rev() {
        let shorter: Vec<&str> = text.lines().collect();
        let kept = shorter.iter().enumerate().filter(|(line, _)| *line != at);
        let shorter: String = kept.map(|(_, line)| format!("{line}\n")).collect();
        if accepts(&shorter) {
            text = shorter;
        }
    }
    text
}

/// Returns the text up to the operation on a line, whose value is returned; `None` if no value is computed there.
fn cut_after(lines: &[&str], end: usize) -> Option<String> {
    let line = lines[end];
    let (value, operation) = line.trim_start().split_once(" = ")?;
    let is_value = value.starts_with('%') && !value.contains([',', ':']);
    if !is_value || operation.ends_with('{') {
        return None;
    }
    let ty = match operation.rsplit_once(" -> ") {
        Some((_, ty)) => ty,
        None => operation.rsplit_once(" : ")?.1,
    };
    let is_function = |line: &&str| line.trim_start().starts_with("func.func ");
    let function = lines.get(..end)?.iter().rposition(is_function)?;
    let (arguments, _) = lines[function].rsplit_once(" -> ")?;
    let indent = &line[..line.len() - line.trim_start().len()];
    let (before, body) = (&lines[..function], &lines[function + 1..=end]);
    let head = format!("{arguments} -> {ty} {{");
    let last = format!("{indent}return {value} : {ty}");
    let mut text: Vec<&str> = before.to_vec();
    text.push(&head);
    text.extend(body);
    text.extend([last.as_str(), "}"]);
    let is_nested = before.iter().any(|line| line.starts_with("module"));
    text.extend(is_nested.then_some("}"));
    Some(text.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::reduced;

    #[test]
    fn programs_become_the_operation_at_fault() {
        let program = "\
module {
  func.func @f(%arg0: T, %arg1: T) -> (T, T) {
    %0 = spyre.add %arg0, %arg1 : T
    %1 = spyre.exp %arg0 : T
    %2 = spyre.sub %1, %0 : (T, T) -> U
    %3 = spyre.mul %0, %arg1 : T
    return %2, %3 : T, T
  }
}
";
        // A text without a definition of a value that it uses is no program.
        let accepts = |text: &str| {
            let is_defined =
                |value: &str| !text.contains(value) || text.contains(&format!("{value} = "));
            text.contains("spyre.sub %1")
                && is_defined("%0")
                && is_defined("%1")
                && text.matches('{').count() == text.matches('}').count()
                && text.contains("return %2 : U")
        };
        let expected = "\
module {
  func.func @f(%arg0: T, %arg1: T) -> U {
    %0 = spyre.add %arg0, %arg1 : T
    %1 = spyre.exp %arg0 : T
    %2 = spyre.sub %1, %0 : (T, T) -> U
    return %2 : U
}
}
";
        assert_eq!(reduced(program, accepts), expected);
    }
}
