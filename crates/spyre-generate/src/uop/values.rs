//! Values of inputs and constants.

use super::Draw;

/// Returns the bits of an integer type.
fn width(dtype: &str) -> u32 {
    match dtype {
        "i8" | "u8" => 8,
        "i16" | "u16" | "f16" | "bf16" => 16,
        "i32" | "u32" | "f32" => 32,
        _ => 64,
    }
}

pub(super) fn is_float(dtype: &str) -> bool {
    dtype.contains('f')
}

pub(super) fn is_integer(dtype: &str) -> bool {
    !is_float(dtype) && dtype != "bool"
}

impl Draw {
    /// Returns a value of a type, as it is in a file.
    pub(super) fn value(&mut self, dtype: &str, is_moderate: bool) -> String {
        if dtype == "bool" {
            return self.numbers.one_in(2).to_string();
        }
        if is_float(dtype) {
            if !is_moderate && self.numbers.one_in(8) {
                let special = [
                    "\"nan\"",
                    "\"inf\"",
                    "\"-inf\"",
                    "-0.0",
                    "5.9604644775390625e-8",
                    "65280.0",
                ];
                return self.numbers.pick(&special).to_owned();
            }
            // Multiples of 1/16, which all types have.
            let quarters = self.numbers.below(129) as f64 - 64.0;
            return format!("{:?}", quarters / 16.0);
        }
        self.integer(dtype)
    }

    fn integer(&mut self, dtype: &str) -> String {
        let bits = width(dtype);
        let is_signed = dtype.starts_with('i');
        let most = u64::MAX >> (64 - bits + u32::from(is_signed));
        let near = self.numbers.below(6);
        match self.numbers.below(5) {
            0 => (most - near).to_string(),
            1 if is_signed => (-i128::from(most) - 1 + i128::from(near)).to_string(),
            2 if is_signed => (-i128::from(near)).to_string(),
            3 => (most >> self.numbers.below(u64::from(bits))).to_string(),
            _ => near.to_string(),
        }
    }

    /// Adds a buffer with content. Returns its number.
    pub(super) fn buffer(&mut self, dtype: &'static str, shape: &[u64]) -> usize {
        let slot = self.slots;
        self.slots += 1;
        let is_moderate = self.numbers.one_in(2);
        let count = super::elements(shape);
        let values: Vec<String> = (0..count).map(|_| self.value(dtype, is_moderate)).collect();
        let values = values.join(",");
        self.inputs.push(format!(
            "  {{\"slot\":{slot},\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data\":[{values}]}}"
        ));
        let id = self.add("Buffer", dtype, shape, &[], &format!("\"slot\":{slot}"));
        self.nodes[id].is_moderate = is_moderate && is_float(dtype);
        id
    }

    /// Adds bytes, as many as whole elements of every type.
    pub(super) fn bytes(&mut self) {
        let count = 8 * self.numbers.below(4);
        let data: String = (0..count)
            .map(|_| format!("{:02x}", self.numbers.below(256)))
            .collect();
        self.add(
            "Binary",
            "u8",
            &[count],
            &[],
            &format!("\"data\":\"{data}\""),
        );
    }

    /// Adds a constant of a shape. Returns its number.
    pub(super) fn constant(&mut self, dtype: &'static str, shape: &[u64]) -> usize {
        let value = self.value(dtype, false);
        let constant = self.add("Const", dtype, &[], &[], &format!("\"value\":{value}"));
        let mut id = constant;
        if !shape.is_empty() {
            let ones = vec![1; shape.len()];
            id = self.add(
                "Reshape",
                dtype,
                &ones,
                &[id],
                &format!("\"shape\":{ones:?}"),
            );
            id = self.add(
                "Expand",
                dtype,
                shape,
                &[id],
                &format!("\"shape\":{shape:?}"),
            );
        }
        self.nodes[id].constant = Some(constant);
        id
    }
}
