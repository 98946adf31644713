//! The figures of the README are those of the table that `cargo xtask plan-table` writes.

use std::fs;
use std::path::Path;

/// Returns the cells of a row of a table in Markdown.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn figures_of_the_readme_are_those_of_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read =
        |page: &str| fs::read_to_string(root.join(page)).expect("the page is in the repository");
    let (readme, page) = (read("README.md"), read("docs/Planning.md"));
    let rows: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("| [") && line.contains("](examples/plans/"))
        .collect();
    assert!(!rows.is_empty(), "the README has no figures");
    for row in rows {
        let (_, path) = row.split_once("](").expect("a row links its program");
        let (path, _) = path.split_once(')').expect("a link ends");
        let of_page = page
            .lines()
            .find(|line| line.contains(&format!("](../{path})")));
        let of_page =
            cells(of_page.unwrap_or_else(|| panic!("docs/Planning.md has no figures of {path}")));
        // Compulsory bytes; untiled, and its time; automatic, and its time.
        let expected = [1, 3, 4, 7, 8].map(|column| of_page[column]);
        assert_eq!(cells(row)[1..], expected, "{path}");
    }
}
