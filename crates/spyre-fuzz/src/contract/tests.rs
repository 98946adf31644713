use super::*;

/// A square root of `f32`, which the contract forbids, with the exceptions of the target.
fn roots(exceptions: &str) -> Source {
    let target = format!("spyre.target = #spyre.target<exceptions = [{exceptions}]>");
    Source::Mlir(format!(
        "module attributes {{{target}}} {{
          func.func @root(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {{
            %0 = spyre.sqrt %a : tensor<64x64xf32>
            return %0 : tensor<64x64xf32>
          }}
        }}"
    ))
}

#[test]
fn what_the_contract_forbids_is_refused_before_it_is_a_bundle() {
    let outcome = Checker::default().check(&roots(""));
    assert_eq!((outcome.bundles.len(), outcome.refused), (0, 2));
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
}

#[test]
fn what_an_exception_allows_is_no_fault_and_has_its_name() {
    let outcome = Checker::default().check(&roots("\"fp32-roots\""));
    assert_eq!(outcome.bundles.len(), 2);
    for bundle in &outcome.bundles {
        let allowed: Vec<_> = bundle
            .findings
            .iter()
            .map(|checked| (checked.finding.rule.to_string(), checked.exception))
            .collect();
        assert_eq!(
            allowed,
            [("K4".to_owned(), Some("fp32-roots"))],
            "{bundle:?}"
        );
    }
    let mut table = Table::default();
    table.add("roots.mlir", outcome);
    assert_eq!((table.bundles(), table.faults()), (2, 0));
    let text = table.to_string();
    assert!(
        text.contains("fp32-roots                 2         0"),
        "{text}"
    );
    assert!(text.contains("source: torch-spyre constants.py"), "{text}");
}

#[test]
fn a_file_that_breaks_the_schema_is_a_fault() {
    let checker = Checker {
        schema: Some(Schema::from_text("{\"type\": \"array\"}").expect("a schema")),
    };
    let program = "func.func @f(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
      %0 = spyre.exp %a : tensor<64x64xf16>
      return %0 : tensor<64x64xf16>
    }";
    let outcome = checker.check(&Source::Mlir(program.to_owned()));
    let mut table = Table::default();
    table.add("exp.mlir", outcome);
    assert_eq!((table.bundles(), table.faults()), (2, 2), "{table}");
    assert!(
        table
            .to_string()
            .contains("exp.mlir, @f by spyre-pipeline: "),
        "{table}"
    );
}

#[test]
fn programs_of_linalg_are_split_as_well() {
    let program = "func.func @f(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %e = tensor.empty() : tensor<64x64xf32>
      %0 = linalg.exp ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      return %0 : tensor<64x64xf32>
    }";
    let outcome = Checker::default().check(&Source::Mlir(program.to_owned()));
    assert_eq!(outcome.bundles.len(), 4, "{outcome:?}");
    assert!(outcome.failures.is_empty());
}

#[test]
fn a_warning_that_is_known_is_no_fault() {
    let program = "func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
      %0 = spyre.greaterthan %a, %b : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xi1>
      %1 = spyre.where3 %0, %a, %b : (tensor<64x64xi1>, tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
      return %1 : tensor<64x64xf16>
    }";
    let outcome = Checker::default().check(&Source::Mlir(program.to_owned()));
    let findings = outcome.bundles.iter().flat_map(|bundle| &bundle.findings);
    let names: Vec<_> = findings
        .map(|checked| {
            known_warnings::KnownWarning::matching(&checked.finding).map(|warning| warning.name)
        })
        .collect();
    assert_eq!(names, [Some("reference-opfuncs"); 2]);
    let mut table = Table::default();
    table.add("greater.mlir", outcome);
    assert_eq!((table.bundles(), table.faults()), (2, 0), "{table}");
}

#[test]
fn windows_that_overlap_are_known() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../test/Integration/Dynamic/dimensions.mlir"
    );
    let program = std::fs::read_to_string(file).expect("a program of the tree");
    let outcome = Checker::default().check(&Source::Mlir(program));
    let findings = outcome.bundles.iter().flat_map(|bundle| &bundle.findings);
    let mut names: Vec<_> = findings
        .map(|checked| {
            known_warnings::KnownWarning::matching(&checked.finding).map(|warning| warning.name)
        })
        .collect();
    names.dedup();
    assert_eq!(names, [Some("overlapping-windows")]);
}
