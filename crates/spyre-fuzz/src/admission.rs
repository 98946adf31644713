//! Refusals that follow from the contract of the card, not from limits of passes.
//!
//! Random programs have integers, products of `f32` and batches that the card lacks. A test that bounds the number of
//! refused programs bounds only the other refusals, which detects a pass that refuses legal programs.

/// Words of such refusals, each with its rules (docs/Contract.md).
const WORDS: [&str; 13] = [
    // K22
    "' reads its second operand in sticks of two rows of ",
    // K4
    "' computes in ",
    "' have one format, but tensor ",
    // K4: the card has no comparison of integers. The host passes its truth values in 16 bits, and the other operations
    // are built for them.
    "; a truth value has the format of what was compared",
    // K70
    " is not in the table of OpFuncs of ",
    // K33: a cast leaves an order that only a cast back restores. With one element in each stick there was none, which K36 forbids.
    " in the arrangement ",
    " knows the standard arrangement only ",
    // K10
    " cannot be masked, only of up to ",
    // K23, K28
    " are possible; ",
    " is possible; ",
    " and the card has at most ",
    // K36, K44
    ", which are not whole sticks of ",
    ", which are neither whole sticks of ",
];

/// Returns whether a message is a refusal by a rule of the contract.
#[must_use]
pub fn is_refused(message: &str) -> bool {
    WORDS.iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use spyre_layout::DeviceFormat;
    use spyre_ops::contract::Contract;

    use super::*;

    #[test]
    fn formats_of_the_contract_are_its_refusals() {
        let int32 = DeviceFormat::IeeeInt32;
        let mixed = [
            DeviceFormat::Sen169Fp16,
            DeviceFormat::IeeeFp32,
            DeviceFormat::IeeeFp32,
        ];
        for (op_func, formats) in [
            ("add", vec![int32; 3]),
            ("prod", vec![int32; 2]),
            ("add", mixed.to_vec()),
        ] {
            let refused = Contract::default().admit(op_func, &formats).unwrap_err();
            assert!(is_refused(&refused.to_string()), "{refused}");
        }
        assert!(!is_refused(
            "coarse-tile: scope 0 asks for \"A\" in 4 tiles here"
        ));
    }
}
