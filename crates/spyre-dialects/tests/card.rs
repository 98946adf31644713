//! The defaults and names in the ODS equal the Rust tables.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Attribute;
use spyre_cpp as _;
use spyre_dialects::attr;
use spyre_layout::DeviceFormat;
use spyre_ops::contract::Contract;
use spyre_plan::Target;

fn context() -> Context {
    let registry = DialectRegistry::new();
    spyre_dialects::register_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

#[test]
fn a_target_without_fields_is_the_card() {
    let context = context();
    let target = Attribute::parse(&context, "#spyre.target").expect("all fields have defaults");
    let description = attr::target(target).expect("it is a target");
    assert_eq!(description.target, Target::CARD);
    assert!(description.element_types.is_none() && description.contract == Contract::default());
}

#[test]
fn the_dialect_names_every_format_as_the_table_does() {
    let context = context();
    for format in DeviceFormat::ALL {
        let stick = format.elements_per_stick().get();
        let source = format!(
            "#spyre.layout<(d0) -> (d0 floordiv {stick}, d0 mod {stick}), format = {format}>"
        );
        let layout = Attribute::parse(&context, &source).and_then(attr::layout);
        let device_format = layout
            .as_ref()
            .and_then(spyre_layout::Layout::format_override);
        assert_eq!(device_format, Some(format), "{source}");
    }
}
