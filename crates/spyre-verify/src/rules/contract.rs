//! Rules of the published contract that no older rule covers, by the numbers under which `docs/Contract.md` lists them.
//!
//! A rule of the specification, or of a report about the card, is an error. A rule that only the reference compiler
//! keeps, or on which sources disagree, is a warning.

use super::{Name, Rule, Severity};

const fn error(number: u32) -> Rule {
    Rule::new(Name::K(number), Severity::Error)
}

const fn warning(number: u32) -> Rule {
    Rule::new(Name::K(number), Severity::Warning)
}

/// A rule of the contract about a part of an older rule.
const fn part(number: u32, vb: u32) -> Rule {
    Rule::error(vb).of_contract(number)
}

//===--- Formats and constants --------------------------------------------===//

/// A copy names its 32-bit integers `IEEE_FP32`.
pub(crate) const RELABELLED: Rule = warning(3);
/// The operation computes in the formats of its tensors.
pub(crate) const PRECISION: Rule = error(4);
/// The reference compiler writes the operation in 32 bits.
pub(crate) const PRECISION_OF_REFERENCE: Rule = Rule::new(Name::Ka(4), Severity::Warning);
/// The operation runs on the unit of the table, in the format of its first tensor.
pub(crate) const UNIT_AND_FORMAT: Rule = part(4, 71);
/// Positions that a search finds are numbers in the format of its input.
pub(crate) const POSITIONS: Rule = Rule {
    other: Some(Name::K(27)),
    ..error(4)
};
/// Constants have the names of the table and the format of the tensors.
pub(crate) const CONSTANT_NAMES: Rule = error(5);
/// A constant has one entry of data.
pub(crate) const CONSTANT_DATA: Rule = part(5, 39);
/// A constant is a number, which NaN is not.
pub(crate) const CONSTANT_NAN: Rule = error(5);
/// A constant that only the reference compiler writes.
pub(crate) const CONSTANT_OF_REFERENCE: Rule = warning(5);

//===--- Masks ------------------------------------------------------------===//

/// Masked elements read as the number of the operation.
pub(crate) const MASK_NUMBER: Rule = error(7);
/// Masked elements do not read as NaN.
pub(crate) const MASK_NAN: Rule = error(8);
/// A mask is on the reduced stick of a reduction, or on the stick of the output of `exp`.
pub(crate) const MASK_PLACE: Rule = warning(9);
/// A mask reaches to the end of the dimension.
pub(crate) const MASK_END: Rule = part(9, 51);
/// Elements of more than 16 bits are not masked.
pub(crate) const MASK_WIDTH: Rule = error(10);
/// A masked dimension is not divided.
pub(crate) const MASK_DIVIDED: Rule = error(11);

//===--- Behind the end of a tensor ---------------------------------------===//

/// Operations without windows have no padding sizes.
pub(crate) const NO_PADDING: Rule = error(16);
/// Operations without windows have no padding in their coordinates.
pub(crate) const NO_PADDING_FOLDS: Rule = part(16, 66);
/// Windows have an extent, reach over the padded size, and give the kind of the padding.
pub(crate) const WINDOW_SIZES: Rule = error(20);
/// The padding of coordinates is that of the windows.
pub(crate) const WINDOW_PADDING: Rule = part(20, 66);
/// Convolutions have no gaps.
pub(crate) const NO_GAPS: Rule = error(21);

//===--- Sticks -----------------------------------------------------------===//

/// Sticks of a product are along the reduced and the generated dimension.
pub(crate) const PRODUCT_STICKS: Rule = error(22);
/// A product has one reduced and one generated dimension, up to two preserved and up to two without reuse.
pub(crate) const PRODUCT_ROLES: Rule = error(23);
/// A reduction has the reduced dimension alone on its stick, or not at all.
pub(crate) const REDUCTION_STICKS: Rule = error(24);
/// Tensors of an elementwise operation have the same stick.
pub(crate) const COMMON_STICKS: Rule = error(25);
/// Neither the searched dimension nor the dimension of the results is on a stick.
pub(crate) const SEARCH_STICKS: Rule = error(26);
/// A search finds at most 128, and 4 on a core.
pub(crate) const SEARCH_SIZES: Rule = error(28);
/// The normalised dimension alone is on the stick.
pub(crate) const NORMALISED_STICKS: Rule = error(29);
/// A normalisation takes all tensors of its chain.
pub(crate) const NORMALISED_OPERANDS: Rule = part(30, 72);
/// A normalisation takes the pair that `exx2` writes.
pub(crate) const NORMALISATION: Rule = warning(30);
/// No window dimension is on a stick, or divided.
pub(crate) const WINDOW_STICKS: Rule = error(31);
/// The windows of a dimension are whole on each core.
pub(crate) const WINDOW_DIVIDED: Rule = part(31, 81);
/// Sticks of a change of format are along the dimensions of the table.
pub(crate) const CAST_STICKS: Rule = error(32);
/// A change of format has the stick of each of its formats.
pub(crate) const CAST_STICK_SIZE: Rule = part(32, 69);
/// A conversion between integers and floats computes in `IEEE_FP32`.
pub(crate) const CAST_COMPUTES: Rule = part(32, 71);
/// A restickify has one dimension on each stick.
pub(crate) const RESTICKIFY_STICKS: Rule = error(35);
/// A restickify changes the dimension on the stick.
pub(crate) const RESTICKIFY_CHANGES: Rule = warning(35);

//===--- Work division ----------------------------------------------------===//

/// A core has whole sticks along each dimension on a stick.
pub(crate) const WHOLE_STICKS: Rule = error(36);
/// The size on a core is whole sticks along a dimension on a stick.
pub(crate) const WHOLE_STICKS_STAGE: Rule = part(36, 50);
/// A core addresses a bounded span of a tensor.
pub(crate) const SPAN: Rule = error(37);
/// A core addresses no more of a tensor than the reference compiler permits.
pub(crate) const SPAN_OF_REFERENCE: Rule = warning(37);
/// Of several reduced dimensions at most one is divided.
pub(crate) const REDUCED_DIVIDED: Rule = error(38);
/// The part of a core is no longer than its loops count.
pub(crate) const INNER_LOOP: Rule = warning(40);
/// Dimensions that all cores need whole are not divided.
pub(crate) const DIVIDED: Rule = error(41);
/// The windows of a divided dimension are next to each other.
pub(crate) const STRIDED_DIVIDED: Rule = part(41, 81);

//===--- Gather and scatter -----------------------------------------------===//

/// Index and value tensors are in device memory.
pub(crate) const INDIRECT_PLACE: Rule = warning(42);
/// Index and value tensors name each other, and the operation lists the index tensors.
pub(crate) const INDIRECT_LINKS: Rule = error(43);
/// A core has whole sticks of an index tensor, or less than one.
pub(crate) const INDEX_STICKS: Rule = error(44);
/// Index tensors are `SENUINT32`.
pub(crate) const INDEX_FORMAT: Rule = warning(45);
/// Loops move an index tensor by whole sticks.
pub(crate) const INDEX_ADVANCE: Rule = part(46, 20);

//===--- bundle.mlir ------------------------------------------------------===//

/// Symbols are negative, and bound to one value each.
pub(crate) const SYMBOLS: Rule = part(48, 6);
/// The pool has a size that the card has.
pub(crate) const POOL_SIZE: Rule = part(49, 6);
/// Bounds and steps of loops are constants or parameters.
pub(crate) const LOOP_BOUNDS: Rule = part(50, 6);
/// The largest value of a parameter is a multiple of its granularity.
pub(crate) const PARAM_BOUNDS: Rule = part(51, 6);
/// Parameters are taken apart outside of loops.
pub(crate) const EXTRACT_PLACE: Rule = error(51);
/// Maps are linear, and their symbols do not change in loops.
pub(crate) const LINEAR_MAP: Rule = error(52);

//===--- sdsc_N.json ------------------------------------------------------===//

/// A file keeps the schema that it is checked against.
pub(crate) const SCHEMA: Rule = error(55);
/// The origin of the operation has all its fields.
pub(crate) const ORIGIN: Rule = error(56);
/// A dimension has as many sticks as are begun.
pub(crate) const BEGUN_STICKS: Rule = part(57, 66);
/// Operands are named after their tensors.
pub(crate) const OPERAND_NAMES: Rule = part(59, 72);
/// An operation has at most 8 tensors.
pub(crate) const TENSOR_COUNT: Rule = warning(59);
/// A core has one or two corelets.
pub(crate) const CORELETS: Rule = part(60, 44);
/// The operation is `Inner`.
pub(crate) const LOCATION: Rule = part(61, 43);
/// The operation has a location.
pub(crate) const NO_LOCATION: Rule = part(61, 38);
/// A flag states whether all cores share a tensor in device memory.
pub(crate) const INDEPENDENT: Rule = part(62, 42);
/// Addresses in the scratchpad are whole sticks, and no symbols.
pub(crate) const LX_ADDRESS: Rule = part(65, 60);

//===--- Between scratchpads ----------------------------------------------===//

/// A relayout has two tensors in the scratchpad, each with a separate division.
pub(crate) const RELAYOUT: Rule = error(66);
/// No two cores have the same part of a tensor of a relayout.
pub(crate) const RELAYOUT_PARTS: Rule = part(66, 47);
/// Cores read from few cores, and all alike.
pub(crate) const RELAYOUT_FAN: Rule = warning(67);
/// The lists of cores of a relayout agree.
pub(crate) const RELAYOUT_CORES: Rule = part(68, 44);
/// The tables of cores of a relayout have the cores that are used.
pub(crate) const RELAYOUT_TABLES: Rule = part(68, 45);

/// The card's compiler has the operation.
pub(crate) const KNOWN_OPFUNC: Rule = error(70);
/// The published table has the operation.
pub(crate) const PUBLISHED_OPFUNC: Rule = warning(70);

//===--- OpSpecs ----------------------------------------------------------===//

/// The operation takes all tensors.
pub(crate) const OPERAND_COUNT: Rule = part(78, 72);
