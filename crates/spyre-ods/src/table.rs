//! The notation of the tables.

/// Expands a table of operations to a constant, a constructor and a view for each.
///
/// An entry has the name of the operation, the names of its constant, its constructor and its view, and the names of
/// its values:
///
/// ```text
/// "scf.for" FOR for_ For (lower_bound "lowerBound", upper_bound "upperBound", step, *init_args "initArgs")
///     {?unsigned_cmp "unsignedCmp"} [region] -> (*results);
///         operands       in ()
///         attributes     in {}
///         regions        in []
///         results        in () after ->; a list without names is left out
///         ?name          an optional value; of an attribute, also one with a default value
///         *name          any number of values
///         name "Name"    with the spelling of the ODS, where it is no name in Rust
///         sized          after a list: an attribute has the number of values of each name
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! ops {
    ($(
        $name:literal $constant:ident $constructor:ident $view:ident
        $(($(
            $($operand:ident)? $(? $maybe_operand:ident)? $(* $operands:ident)? $($operand_name:literal)?
        ),+) $($operands_sized:ident)?)?
        $({$(
            $($attribute:ident $($attribute_name:literal)?)?
            $(? $maybe_attribute:ident $($maybe_attribute_name:literal)?)?
        ),+})?
        $([$(
            $($region:ident)? $(* $regions:ident)? $($region_name:literal)?
        ),+])?
        $(-> ($(
            $($result:ident)? $(? $maybe_result:ident)? $(* $results:ident)? $($result_name:literal)?
        ),+) $($results_sized:ident)?)?
        ;
    )*) => {
        #[allow(unused_imports, reason = "few tables have regions")]
        use melior::ir::{Attribute, RegionRef};
        #[allow(unused_imports, reason = "few tables have regions")]
        use $crate::rt::{self, Op, OpDefinition, OpParts, Slot, Slots, Val};

        /// The operations of the table.
        pub const OPERATIONS: &[&OpDefinition] = &[$($view::DEFINITION),*];

        $(
            #[doc = concat!("The name of [`", $name, "`](struct@", stringify!($view), ").")]
            pub const $constant: &str = $name;

            #[doc = concat!("Returns the parts of `", $name, "`. Its operands and required attributes are those of [`",
                stringify!($view), "`](struct@", stringify!($view), ").")]
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "an operation has as many operands as it has")]
            pub fn $constructor<'p>(
                $($($($operand: Val<'p>,)? $($maybe_operand: Option<Val<'p>>,)? $($operands: &[Val<'p>],)?)*)?
                $($($($attribute: Attribute<'p>,)?)*)?
            ) -> OpParts<'p> {
                OpParts::new($view::DEFINITION)
                    $($(
                        $(.operand($operand))?
                        $(.optional_operand($maybe_operand))?
                        $(.operand_group($operands))?
                    )*)?
                    $($($(.with($crate::spelling!($attribute $($attribute_name)?), $attribute))?)*)?
            }

            #[doc = concat!(
                "`", $name, "` ("
                $($(
                    $(, stringify!($operand), " ")?
                    $(, "?", stringify!($maybe_operand), " ")?
                    $(, "*", stringify!($operands), " ")?
                )*)?
                , ")"
            )]
            #[derive(Clone, Copy)]
            pub struct $view<'p> {
                op: Op<'p>,
            }

            #[allow(clippy::self_named_constructors, reason = "some dialects have an operation `cast`")]
            impl<'p> $view<'p> {
                #[doc = concat!("`", $name, "`")]
                pub const NAME: &'static str = $name;

                /// The definition.
                pub const DEFINITION: &'static OpDefinition = &OpDefinition {
                    name: $name,
                    operands: Slots {
                        slots: &[$($(
                            $(Slot::One(stringify!($operand)))?
                            $(Slot::Optional(stringify!($maybe_operand)))?
                            $(Slot::Variadic(stringify!($operands)))?
                        ),*)?],
                        is_sized: !$crate::is_empty!($($($operands_sized)?)?),
                    },
                    attributes: &[$($(
                        $(Slot::One($crate::spelling!($attribute $($attribute_name)?)))?
                        $(Slot::Optional($crate::spelling!($maybe_attribute $($maybe_attribute_name)?)))?
                    ),*)?],
                    regions: Slots {
                        slots: &[$($(
                            $(Slot::One(stringify!($region)))? $(Slot::Variadic(stringify!($regions)))?
                        ),*)?],
                        is_sized: false,
                    },
                    results: Slots {
                        slots: &[$($(
                            $(Slot::One(stringify!($result)))?
                            $(Slot::Optional(stringify!($maybe_result)))?
                            $(Slot::Variadic(stringify!($results)))?
                        ),*)?],
                        is_sized: !$crate::is_empty!($($($results_sized)?)?),
                    },
                };

                #[doc = concat!("Returns the view of a `", $name, "`; `None` of any other operation.")]
                #[inline]
                pub fn cast(op: Op<'p>) -> Option<Self> {
                    (rt::name(op) == $name).then_some(Self { op })
                }

                /// Returns the operation.
                #[inline]
                pub fn op(self) -> Op<'p> {
                    self.op
                }

                $($(
                    $(
                        /// Returns the operand.
                        #[inline]
                        pub fn $operand(self) -> Val<'p> {
                            const { Self::DEFINITION.operands.slot(stringify!($operand)) }.operand(self.op)
                        }
                    )?
                    $(
                        /// Returns the operand.
                        #[inline]
                        pub fn $maybe_operand(self) -> Option<Val<'p>> {
                            const { Self::DEFINITION.operands.slot(stringify!($maybe_operand)) }
                                .optional_operand(self.op)
                        }
                    )?
                    $(
                        /// Returns the operands, in order.
                        #[inline]
                        pub fn $operands(
                            self,
                        ) -> impl ExactSizeIterator<Item = Val<'p>> + DoubleEndedIterator {
                            const { Self::DEFINITION.operands.slot(stringify!($operands)) }.operands(self.op)
                        }
                    )?
                )*)?
                $($(
                    $(
                        /// Returns the attribute.
                        #[inline]
                        pub fn $attribute(self) -> Attribute<'p> {
                            rt::required_attribute(self.op, $crate::spelling!($attribute $($attribute_name)?))
                        }
                    )?
                    $(
                        /// Returns the attribute.
                        #[inline]
                        pub fn $maybe_attribute(self) -> Option<Attribute<'p>> {
                            rt::attribute(self.op, $crate::spelling!($maybe_attribute $($maybe_attribute_name)?))
                        }
                    )?
                )*)?
                $($(
                    $(
                        /// Returns the region.
                        #[inline]
                        pub fn $region(self) -> RegionRef<'p, 'p> {
                            const { Self::DEFINITION.regions.slot(stringify!($region)) }.region(self.op)
                        }
                    )?
                    $(
                        /// Returns the regions, in order.
                        #[inline]
                        pub fn $regions(self) -> impl Iterator<Item = RegionRef<'p, 'p>> {
                            const { Self::DEFINITION.regions.slot(stringify!($regions)) }.regions(self.op)
                        }
                    )?
                )*)?
                $($(
                    $(
                        /// Returns the result.
                        #[inline]
                        pub fn $result(self) -> Val<'p> {
                            const { Self::DEFINITION.results.slot(stringify!($result)) }.result(self.op)
                        }
                    )?
                    $(
                        /// Returns the result.
                        #[inline]
                        pub fn $maybe_result(self) -> Option<Val<'p>> {
                            const { Self::DEFINITION.results.slot(stringify!($maybe_result)) }
                                .optional_result(self.op)
                        }
                    )?
                    $(
                        /// Returns the results, in order.
                        #[inline]
                        pub fn $results(
                            self,
                        ) -> impl ExactSizeIterator<Item = Val<'p>> + DoubleEndedIterator {
                            const { Self::DEFINITION.results.slot(stringify!($results)) }.results(self.op)
                        }
                    )?
                )*)?
            }
        )*
    };
}

/// Expands to the spelling of a name in the ODS.
#[macro_export]
#[doc(hidden)]
macro_rules! spelling {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $spelling:literal) => {
        $spelling
    };
}

/// Expands to whether there is no token.
#[macro_export]
#[doc(hidden)]
macro_rules! is_empty {
    () => {
        true
    };
    ($($token:tt)+) => {
        false
    };
}
