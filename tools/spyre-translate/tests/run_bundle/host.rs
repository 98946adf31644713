//! The host's side of a kernel argument: where its elements are, read from the text of its type.

/// A tensor type with a layout, as MLIR prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTensor {
    pub shape: Vec<u64>,
    /// Bytes of an element.
    pub element: u64,
    digits: Vec<Digit>,
    sizes: Vec<u64>,
}

/// `(dim floordiv divisor) mod modulus`, or 0 without a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digit {
    dim: Option<usize>,
    divisor: u64,
    modulus: Option<u64>,
}

impl HostTensor {
    /// Reads `tensor<4x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>`. A type without a layout
    /// has the default one of its shape.
    pub fn parse(ty: &str) -> Option<Self> {
        let inside = ty.strip_prefix("tensor<")?.strip_suffix('>')?;
        let (dims, layout) = match inside.split_once(", #spyre.layout<") {
            Some((dims, layout)) => (dims, Some(layout.strip_suffix('>')?)),
            None => (inside, None),
        };
        let (dims, element) = dims.rsplit_once('x')?;
        let shape: Vec<u64> = dims
            .split('x')
            .map(|extent| extent.parse().ok())
            .collect::<Option<_>>()?;
        let element = match element {
            "f16" | "bf16" => 2,
            "f32" | "i32" => 4,
            _ => return None,
        };
        let digits = match layout {
            Some(layout) => {
                let (_, results) = layout.split_once(" -> (")?;
                let mut results = results.rsplit_once(')')?.0;
                if let Some((before, _)) = results.split_once("), size") {
                    results = before;
                }
                results
                    .split(", ")
                    .map(Digit::parse)
                    .collect::<Option<_>>()?
            }
            None => default(shape.len(), 128 / element)?,
        };
        let sizes = match layout.and_then(|layout| layout.split_once("size = [")) {
            Some((_, sizes)) => sizes
                .split_once(']')?
                .0
                .split(", ")
                .map(|size| size.parse().ok())
                .collect::<Option<_>>()?,
            None => {
                let mut sizes: Vec<u64> = digits
                    .iter()
                    .map(|digit: &Digit| digit.size(&shape))
                    .collect();
                *sizes.last_mut()? = 128 / element;
                sizes
            }
        };
        Some(Self {
            shape,
            element,
            digits,
            sizes,
        })
    }

    /// Bytes of the whole tensor.
    pub fn bytes(&self) -> u64 {
        self.sizes.iter().product::<u64>() * self.element
    }

    /// The byte of an element.
    pub fn address(&self, point: &[u64]) -> u64 {
        let digits = self.digits.iter().zip(&self.sizes);
        self.element * digits.fold(0, |address, (digit, size)| address * size + digit.of(point))
    }

    /// Every point, the last dimension fastest.
    pub fn points(&self) -> impl Iterator<Item = Vec<u64>> + use<> {
        let shape = self.shape.clone();
        (0..shape.iter().product::<u64>()).map(move |mut index| {
            let mut point = vec![0; shape.len()];
            for (at, extent) in point.iter_mut().zip(&shape).rev() {
                *at = index % extent;
                index /= extent;
            }
            point
        })
    }
}

/// The default layout of a shape (SDSC bundle specification, section 7.5): the stick's outer part, the dimensions
/// between, the first dimension, and the inner part.
fn default(rank: usize, per_stick: u64) -> Option<Vec<Digit>> {
    let last = rank.checked_sub(1)?;
    let whole = |dim| Digit {
        dim: Some(dim),
        divisor: 1,
        modulus: None,
    };
    let outer = Digit {
        divisor: per_stick,
        ..whole(last)
    };
    let inner = Digit {
        modulus: Some(per_stick),
        ..whole(last)
    };
    Some(match rank {
        1 => vec![outer, inner],
        2 => vec![outer, whole(0), inner],
        3 => vec![whole(1), outer, whole(0), inner],
        4 => vec![whole(1), whole(2), outer, whole(0), inner],
        _ => return None,
    })
}

impl Digit {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text
            .split(' ')
            .map(|word| word.trim_matches(['(', ')']))
            .peekable();
        let first = words.next()?;
        let mut digit = Self {
            dim: first.strip_prefix('d').and_then(|dim| dim.parse().ok()),
            divisor: 1,
            modulus: None,
        };
        if digit.dim.is_none() && first != "0" {
            return None;
        }
        while let Some(word) = words.next() {
            let number = words.next()?.parse().ok()?;
            match word {
                "floordiv" => digit.divisor = number,
                "mod" => digit.modulus = Some(number),
                _ => return None,
            }
        }
        Some(digit)
    }

    fn of(self, point: &[u64]) -> u64 {
        let value = self.dim.map_or(0, |dim| point[dim] / self.divisor);
        self.modulus.map_or(value, |modulus| value % modulus)
    }

    fn size(self, shape: &[u64]) -> u64 {
        let size = self.dim.map_or(1, |dim| shape[dim].div_ceil(self.divisor));
        self.modulus.map_or(size, |modulus| size.min(modulus))
    }
}
