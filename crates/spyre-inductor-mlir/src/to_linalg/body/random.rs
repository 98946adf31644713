//! Random numbers: Philox 4x32-10 of a seed and the number of an element, as the kernels of PyTorch on the CPU compute them
//! (`torch/csrc/inductor/cpp_prefix.h`, `ATen/core/PhiloxRNGEngine.h`). Each of them takes the low 32 bits of the seed.

use melior::ir::{Type, ValueLike};
use spyre_mlir_rt::ir::Val;
use spyre_ods::{arith, math};

use super::super::emit::Emit;

/// The factors of a round.
const FACTORS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];

/// The numbers that are added to the keys after each round.
const STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

const ROUNDS: u32 = 10;

/// Slightly less than 2^-31, so that 31 random bits never give 1.
const SCALE: f64 = 4.656_612_734_2e-10;

/// Builds a random number of a function of PyTorch, from a seed and the number of an element in `i64`; `None` for other functions.
pub(super) fn random<'p>(emit: Emit<'p>, name: &str, operands: &[Val<'p>]) -> Option<Val<'p>> {
    let i64 = emit.i64();
    Some(match (name, operands) {
        ("rand", [seed, at]) => uniform(emit, words(emit, *seed, *at)[0]),
        ("randn", [seed, at]) => normal(emit, words(emit, *seed, *at)),
        ("randint64", [seed, at, low, high]) => {
            let [first, second, ..] = words(emit, *seed, *at);
            let high_bits = emit.same(arith::shli(second, emit.number(32.0, i64)));
            let bits = emit.same(arith::ori(first, high_bits));
            let count = emit.same(arith::subi(*high, *low));
            let rest = emit.same(arith::remui(bits, count));
            emit.same(arith::addi(rest, *low))
        }
        _ => return None,
    })
}

/// Builds the four words of a block, each in `i64`.
fn words<'p>(emit: Emit<'p>, seed: Val<'p>, at: Val<'p>) -> [Val<'p>; 4] {
    let i64 = emit.i64();
    let word = |value: u32| emit.number(f64::from(value), i64);
    let low = |value: Val<'p>| emit.same(arith::andi(value, word(u32::MAX)));
    let product = |factor: u32, value: Val<'p>| {
        let all = emit.same(arith::muli(word(factor), value));
        [emit.same(arith::shrui(all, word(32))), low(all)]
    };
    let xor = |a, b| emit.same(arith::xori(a, b));
    let mut counter = [low(at), word(0), word(0), word(0)];
    let key = low(seed);
    for round in 0..ROUNDS {
        let [first, second] = STEPS.map(|step| step.wrapping_mul(round));
        let keys = [low(emit.same(arith::addi(key, word(first)))), word(second)];
        let [high_0, low_0] = product(FACTORS[0], counter[0]);
        let [high_1, low_1] = product(FACTORS[1], counter[2]);
        counter = [
            xor(xor(high_1, counter[1]), keys[0]),
            low_1,
            xor(xor(high_0, counter[3]), keys[1]),
            low_0,
        ];
    }
    counter
}

/// Builds a number of `f32` from 0 up to 1 of the low 31 bits of a word.
fn uniform<'p>(emit: Emit<'p>, word: Val<'p>) -> Val<'p> {
    let f32 = Type::float32(emit.context);
    let most = emit.number(f64::from(u32::MAX >> 1), word.r#type());
    let bits = emit.same(arith::andi(word, most));
    let number = emit.op(arith::sitofp(bits), f32);
    emit.same(arith::mulf(number, emit.number(SCALE, f32)))
}

/// Builds a normally distributed number by the transformation of Box and Muller. The logarithm is computed in `f32`, the rest in
/// `f64`.
fn normal<'p>(emit: Emit<'p>, words: [Val<'p>; 4]) -> Val<'p> {
    let [f32, f64] = [Type::float32(emit.context), Type::float64(emit.context)];
    let [first, second] = [words[0], words[1]].map(|word| {
        let one = emit.number(1.0, f32);
        emit.same(arith::subf(one, uniform(emit, word)))
    });
    let log = emit.op(arith::extf(emit.same(math::log(first))), f64);
    let square = emit.same(arith::mulf(log, emit.number(-2.0, f64)));
    let turn = emit.number(2.0 * std::f64::consts::PI, f64);
    let second = emit.op(arith::extf(second), f64);
    let angle = emit.same(arith::mulf(second, turn));
    let radius = emit.same(math::sqrt(square));
    let cosine = emit.same(math::cos(angle));
    let product = emit.same(arith::mulf(radius, cosine));
    emit.op(arith::truncf(product), f32)
}
