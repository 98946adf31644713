//! Attributes and types that are built from texts, each of which is parsed once.
//!
//! Kernels repeat few sets, maps and types in many operations and launches, and a parser takes longer than the operation.

use std::cell::RefCell;

use melior::Context;
use melior::ir::{Attribute, Type};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, TypeKey};

/// Attributes and types by their texts.
pub(crate) struct Texts<'p> {
    context: &'p Context,
    attributes: RefCell<FxHashMap<String, Attribute<'p>>>,
    views: RefCell<FxHashMap<(String, TypeKey), Type<'p>>>,
}

impl<'p> Texts<'p> {
    pub(crate) fn new(context: &'p Context) -> Self {
        Self {
            context,
            attributes: RefCell::default(),
            views: RefCell::default(),
        }
    }

    /// Returns the attribute of a text that this crate has written.
    pub(crate) fn attribute(&self, text: &str) -> Attribute<'p> {
        if let Some(attribute) = self.attributes.borrow().get(text) {
            return *attribute;
        }
        let attribute = Attribute::parse(self.context, text);
        let attribute = attribute.unwrap_or_else(|| panic!("'{text}' is an attribute"));
        self.attributes
            .borrow_mut()
            .insert(text.to_owned(), attribute);
        attribute
    }

    /// Returns the type of a view of a shape, such as `4x?x`, of elements.
    pub(crate) fn view(&self, shape: String, element: Type<'p>) -> Type<'p> {
        let key = (shape, ir::type_key(element));
        if let Some(ty) = self.views.borrow().get(&key) {
            return *ty;
        }
        let text = format!("memref<{}{element}>", key.0);
        let ty = Type::parse(self.context, &text);
        let ty = ty.unwrap_or_else(|| panic!("'{text}' is a type"));
        self.views.borrow_mut().insert(key, ty);
        ty
    }
}
