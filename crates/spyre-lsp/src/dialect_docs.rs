//! The documentation of operations, from the pages that the definitions of the dialects are printed to.

/// The pages of the dialects.
const PAGES: [&str; 6] = [
    include_str!("../../../docs/Dialects/spyre.md"),
    include_str!("../../../docs/Dialects/sdscbundle.md"),
    include_str!("../../../docs/Dialects/inductor.md"),
    include_str!("../../../docs/Dialects/ktdp.md"),
    include_str!("../../../docs/Dialects/spyreop.md"),
    include_str!("../../../docs/Dialects/uop.md"),
];

/// The lines after the description of an operation: headings, tables of attributes and operands, and lists of traits.
/// In the examples of a description, a line with `#` is an alias.
const ENDS: [&str; 7] = [
    "\n## ",
    "\n### ",
    "\n#### ",
    "\nTraits:",
    "\nInterfaces:",
    "\nEffects:",
    "\n<table>",
];

/// Returns the summary, the syntax and the description of an operation, as markdown; `None` for an operation of
/// another project.
pub(crate) fn of_op(name: &str) -> Option<&'static str> {
    let head = format!("\n### `{name}` (");
    let section = PAGES
        .iter()
        .find_map(|page| Some(page.split_once(&head)?.1))?;
    let (_, text) = section.split_once('\n')?;
    let ends = ENDS.iter().filter_map(|end| text.find(end));
    Some(text[..ends.min().unwrap_or(text.len())].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_the_dialects_has_documentation() {
        let dialects = [
            spyre_ods::spyre::OPERATIONS,
            spyre_ods::sdscbundle::OPERATIONS,
            spyre_ods::inductor::OPERATIONS,
            spyre_ods::ktdp::OPERATIONS,
            spyre_ods::spyreop::OPERATIONS,
            spyre_ods::uop::OPERATIONS,
        ];
        for operation in dialects.into_iter().flatten() {
            let text = of_op(operation.name).unwrap_or_default();
            let fences = text.matches("```").count();
            assert!(text.starts_with('_') && fences.is_multiple_of(2), "{text}");
        }
        assert_eq!(of_op("scf.for"), None);
    }

    #[test]
    fn tables_are_left_out() {
        let text = of_op("spyre.add").expect("an operation of the dialect");
        assert!(
            text.contains("```mlir") && !text.contains("<table>"),
            "{text}"
        );
    }
}
