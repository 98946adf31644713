use super::*;
use crate::mutants::patch;

fn site(line: &str) -> Site {
    Site::parse(line).unwrap()
}

/// Guards the statements of `crates/f`, which `lines` lists without the file.
fn guarded(source: &str, lines: &[&str]) -> Result<Guarded, Vec<String>> {
    let sites: Vec<Site> = lines
        .iter()
        .map(|line| site(&format!("crates/f{line}")))
        .collect();
    guard(source, &sites.iter().collect::<Vec<_>>())
}

#[test]
fn each_statement_has_a_guard_on_its_lines() {
    let source = "\
fn f() {
    list.push(x);
    let y = g(x);
    list.push(Item {
        text: \"} ; {\",
    });
    match y {
        A => list.push(x),
        B => {
            h(y);
            list.push(x);
        }
    }
    let mut add = |x| list.push(x);
    add(y)
}
";
    let expected = "\
fn f() {
    if ::spyre_slips::keeps() { list.push(x); }
    let y = g(x);
    if ::spyre_slips::keeps() { list.push(Item {
        text: \"} ; {\",
    }); }
    if ::spyre_slips::keeps() { match y {
        A => if ::spyre_slips::keeps() { list.push(x) },
        B => {
            h(y);
            list.push(x);
        }
    } }
    let mut add = |x| if ::spyre_slips::keeps() { list.push(x) };
    if ::spyre_slips::keeps() { add(y) }
}
";
    let lines = [
        ": add(y)",
        ": list.push(Item {",
        ": list.push(x),",
        // The text ends a line after the mark of a closure as well.
        " (1 of 3): list.push(x);",
        " (3 of 3): list.push(x);",
        ": match y {",
    ];
    let result = guarded(source, &lines).unwrap();
    assert_eq!(result.source, expected);
    assert_eq!(result.lines, [15, 4, 8, 2, 14, 7]);
}

#[test]
fn a_statement_that_is_not_as_listed_is_an_error() {
    for (source, line) in [
        ("fn f() {}\n", ": list.push(x);"),
        ("    // list.push(x);\n", ": list.push(x);"),
        ("    let a = list.push(x);\n", ": list.push(x);"),
        ("    list.push(x);\n    list.push(x);\n", ": list.push(x);"),
        ("    list.push(x);\n", " (1 of 2): list.push(x);"),
    ] {
        let errors = guarded(source, &[line]).unwrap_err();
        let [error] = errors.as_slice() else {
            panic!("{errors:?}")
        };
        assert!(error.contains("`list.push(x);`"), "{error}");
        assert!(error.contains("change its line"), "{error}");
    }
    let errors = guarded("    f(\n", &[": f("]).unwrap_err();
    assert_eq!(errors, ["crates/f:1: the statement `f(` has no end"]);
}

#[test]
fn lists_have_sites_and_notes() {
    let text = "# About.\n\n\
                crates/a/src/b.rs (2 of 3): x.push(y);\n  unreached: no: program\n\
                crates/a/src/b.rs: f(\": \");\n";
    let sites = parse(text).unwrap();
    assert_eq!(
        sites[0],
        Site {
            file: "crates/a/src/b.rs".into(),
            text: "x.push(y);".into(),
            number: 2,
            count: 3,
            note: Some("unreached: no: program".into()),
        }
    );
    assert_eq!(sites[1], site("crates/a/src/b.rs: f(\": \");"));
    assert_eq!((sites[1].package(), sites.len()), ("a", 2));
}

#[test]
fn lists_of_another_form_are_errors() {
    for (text, reason) in [
        ("x.push(y);\n", ":1: expected `crates/FILE: TEXT`"),
        ("tools/a/b.rs: f();\n", ":1: expected `crates/"),
        ("crates/a/b.rs: let x = y;\n", "without `let`"),
        ("crates/a/b.rs (0 of 1): f();\n", ":1: expected"),
        ("crates/a/b.rs (2 of 1): f();\n", ":1: expected"),
        ("crates/a: g();\ncrates/a: f();\n", ":2: the lines are not"),
        ("crates/a: f();\ncrates/a: f();\n", ":2: the lines are not"),
        ("  unreached: why\n", ":1: expected `  unreached"),
        ("crates/a: f();\n  because\n", ":2: expected `  unreached"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// Checks that every statement of the list is in its file. The slips take minutes, so this test shows early that the
/// code has moved away from the list.
#[test]
fn every_statement_is_in_the_tree() -> Result<(), Error> {
    let root = patch::root();
    let sites = read(&root)?;
    assert!(!sites.is_empty());
    let mut errors = Vec::new();
    for (file, sites) in by_file(&sites) {
        let path = root.join(file);
        let source = fs::read_to_string(&path).map_err(Error::io(&path))?;
        match guard(&source, &sites) {
            Ok(guarded) => assert_eq!(guarded.source.lines().count(), source.lines().count()),
            Err(reasons) => errors.extend(reasons),
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    Ok(())
}
