//! The machine that an operation is compiled for, and `--spyre-set-target`, which states it on the command line.

use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr::{self, TargetDescription};
use spyre_dialects::names::TARGET;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, RustPass};
use spyre_ods::builtin;
use spyre_ops::contract::Contract;
use spyre_plan::Target;

/// Returns the target of the nearest enclosing module that states one, or else the production card.
///
/// # Errors
/// The stated target is not possible.
pub fn target_of<'p>(op: Op<'p>) -> Result<TargetDescription<'p>, Diagnostic<'p>> {
    let mut current = Some(op);
    while let Some(op) = current {
        if let Ok(attribute) = op.attribute(TARGET)
            && let Some(description) = attr::target(attribute)
        {
            description
                .target
                .validate()
                .map_err(|err| Diagnostic::error(op.location(), err.to_string()))?;
            return Ok(description);
        }
        current = op.parent_operation();
    }
    Ok(TargetDescription {
        target: Target::default(),
        element_types: None,
        contract: Contract::default(),
    })
}

/// Returns the target that the nearest enclosing module states, if one does.
pub fn stated_target<'p>(op: Op<'p>) -> Option<Attribute<'p>> {
    let mut current = Some(op);
    while let Some(op) = current {
        if let Ok(attribute) = op.attribute(TARGET) {
            return Some(attribute);
        }
        current = op.parent_operation();
    }
    None
}

/// `--spyre-set-target`
pub static SET_TARGET: RustPass = RustPass {
    argument: "spyre-set-target",
    summary: "State the machine that a module is compiled for",
    description: r#"
Sets `spyre.target` of the module, as a whole: fields that are not given have the values
of the card, also where the module stated others.

```mlir
// --spyre-set-target=target={cores=8,lx_bytes=0}
// before
module { ... }
// after
module attributes {spyre.target = #spyre.target<cores = 8, lx_bytes = 0>} { ... }
```

`target` has the fields alone, or the whole attribute `#spyre.target<...>`.
"#,
    anchor: builtin::MODULE,
    options: &[PassOption {
        name: "target",
        description: "the fields of `#spyre.target`, or the attribute",
        kind: OptionKind::Str(""),
    }],
    statistics: &[],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run: set_target,
};

fn set_target<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let text = run.text("target");
    let attribute = match text.trim() {
        "" => "#spyre.target".to_owned(),
        whole if whole.starts_with('#') => whole.to_owned(),
        fields => format!("#spyre.target<{fields}>"),
    };
    let parsed = Attribute::parse(run.context(), &attribute);
    let Some(target) = parsed.filter(|target| attr::target(*target).is_some()) else {
        let message = format!(
            "spyre-set-target: '{text}' is no target; give the fields of #spyre.target, as in cores=8,lx_bytes=0"
        );
        return Err(Diagnostic::error(module.location(), message).into());
    };
    ir::set_discardable_attribute(module, TARGET, target);
    Ok(())
}
