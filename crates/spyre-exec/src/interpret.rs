//! Runs a function of device operations without compiling it.
//!
//! [`spyre_reference`] does this. It shares no code with the lowering that [`Program::compile`](crate::Program::compile) uses,
//! with the passes or with the simulated card, so each is a check of the other. For small tensors it is done long before a
//! compiler would be.
//!
//! ```
//! use melior::ir::Module;
//! use spyre_exec::{Array, DType, interpret};
//!
//! let context = spyre_exec::context();
//! let module = Module::parse(&context, "func.func @twice(%a: tensor<2xi32>) -> tensor<2xi32> {
//!   %0 = spyre.add %a, %a : tensor<2xi32>
//!   return %0 : tensor<2xi32>
//! }").expect("a module");
//! let function = interpret::function(module.as_operation(), "twice").expect("a function");
//! let input = Array::from_i64s(DType::I32, &[2], &[20, 21])?;
//! let results = interpret::run(function, &[input])?;
//! assert_eq!(results, [Array::from_i64s(DType::I32, &[2], &[40, 42])?]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use spyre_reference::{InterpretError, function, run};
