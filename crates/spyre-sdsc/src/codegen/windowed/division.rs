//! Which dimensions of pools and convolutions cores may divide (SDSC bundle specification, section 4.11).

use super::{Windowed, window_of};
use crate::codegen::dims::Space;
use crate::error::Error;
use crate::windows::WindowOp;

impl Windowed<'_> {
    /// Windows stay on one core, and height and width are divided only where the parts of the input are known.
    pub(super) fn check_division(&self, space: &Space) -> Result<(), Error> {
        for (dim, axis) in self.axes() {
            let slices = |dim| space.get(dim).map_or(1, |planned| planned.slices);
            let window = window_of(dim);
            if slices(window) > 1 {
                return Err(self.context.inconsistent(format!(
                    "window dimension {window} is divided into {} slices: a core needs whole windows",
                    slices(window)
                )));
            }
            if slices(dim) <= 1 {
                continue;
            }
            let reason = match self.params.op {
                // The coordinates of a pool divide the whole input, which must then be whole parts.
                WindowOp::Pool if axis.stride != axis.kernel => {
                    format!("windows of {} elements, {} apart", axis.kernel, axis.stride)
                }
                WindowOp::Conv | WindowOp::Depthwise if axis.stride > 1 => {
                    format!("windows that are {} elements apart", axis.stride)
                }
                WindowOp::Depthwise if axis.pad > 0 => {
                    return Err(self.context.unspecified(
                        format!("division of {dim} with padding of {}", axis.pad),
                        "section 4.11 does not define padFront_ and padBack_ of one core, and descriptions of \
                         the format disagree",
                    ));
                }
                _ => continue,
            };
            return Err(self.context.unsupported(format!(
                "{dim} divided into {} slices: the backend cannot address the parts of {reason}",
                slices(dim)
            )));
        }
        Ok(())
    }
}
