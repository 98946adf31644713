//! Damages programs.

use std::borrow::Cow;

use super::rng::Rng;

/// A piece of a program: a word, a number, a run of blanks or one other byte.
type Token<'a> = Cow<'a, [u8]>;

/// Largest number of mutations of one program.
const MAX_MUTATIONS: usize = 6;

/// Numbers that are likely limits of some code.
const NUMBERS: [&str; 15] = [
    "0",
    "1",
    "2",
    "3",
    "63",
    "64",
    "65",
    "4096",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
];

/// Returns one damaged program derived from the programs in `corpus`; empty when the corpus is.
pub(crate) fn mutate(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let Some(base) = rng.choose(corpus) else {
        return Vec::new();
    };
    let mut tokens = tokens(base);
    for _ in 0..=rng.below(MAX_MUTATIONS) {
        mutate_once(&mut tokens, corpus, rng);
    }
    tokens.concat()
}

fn mutate_once<'a>(tokens: &mut Vec<Token<'a>>, corpus: &'a [Vec<u8>], rng: &mut Rng) {
    if tokens.is_empty() {
        return;
    }
    let at = rng.below(tokens.len());
    match rng.below(10) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[at].clone()),
        2 => {
            let other = rng.below(tokens.len());
            tokens.swap(at, other);
        }
        3 | 4 => change_number(tokens, rng),
        5 => delete_range(tokens, at, rng),
        6 => repeat_range(tokens, at, rng),
        7 => {
            let word = rng
                .choose(corpus)
                .map(|other| self::tokens(other))
                .unwrap_or_default();
            if let Some(word) = rng.choose(&word) {
                tokens[at] = word.clone();
            }
        }
        8 => splice(tokens, at, corpus, rng),
        _ => {
            // Rarely: most of the file is lost, or is not text.
            if rng.below(2) == 0 {
                tokens.truncate(at);
            } else {
                let bytes = (0..=rng.below(8))
                    .map(|_| rng.next() as u8)
                    .collect::<Vec<_>>();
                tokens.insert(at, bytes.into());
            }
        }
    }
}

fn change_number(tokens: &mut [Token<'_>], rng: &mut Rng) {
    let numbers: Vec<usize> = (0..tokens.len())
        .filter(|i| tokens[*i][0].is_ascii_digit())
        .collect();
    let Some(at) = rng.choose(&numbers).copied() else {
        return;
    };
    let value: Option<u64> = std::str::from_utf8(&tokens[at])
        .ok()
        .and_then(|t| t.parse().ok());
    let text = match (rng.below(5), value) {
        (0, Some(n)) => n.wrapping_add(1).to_string(),
        (1, Some(n)) => n.wrapping_sub(1).to_string(),
        (2, Some(n)) => n.wrapping_mul(2).to_string(),
        (3, Some(n)) => format!("-{n}"),
        _ => rng.choose(&NUMBERS).copied().unwrap_or_default().to_owned(),
    };
    tokens[at] = text.into_bytes().into();
}

fn delete_range(tokens: &mut Vec<Token<'_>>, at: usize, rng: &mut Rng) {
    let end = (at + 1 + rng.below(20)).min(tokens.len());
    tokens.drain(at..end);
}

fn repeat_range(tokens: &mut Vec<Token<'_>>, at: usize, rng: &mut Rng) {
    let end = (at + 1 + rng.below(20)).min(tokens.len());
    let copy = tokens[at..end].to_vec();
    tokens.splice(at..at, copy);
}

/// Puts a part of another program in place of a part of this one.
fn splice<'a>(tokens: &mut Vec<Token<'a>>, at: usize, corpus: &'a [Vec<u8>], rng: &mut Rng) {
    let Some(other) = rng.choose(corpus) else {
        return;
    };
    let other = self::tokens(other);
    let from = rng.below(other.len());
    let to = (from + rng.below(60)).min(other.len());
    let end = (at + rng.below(10)).min(tokens.len());
    tokens.splice(at..end, other[from..to].iter().cloned());
}

/// Cuts a program into tokens; joined, they are the program again. No token is empty.
fn tokens(text: &[u8]) -> Vec<Token<'_>> {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => 1,
        b' ' | b'\t' | b'\n' | b'\r' => 2,
        _ => 3,
    };
    text.chunk_by(|a, b| class(*a) == class(*b) && class(*a) != 3)
        .map(Cow::Borrowed)
        .collect()
}

/// Returns the programs in one test file: split at `// -----`, without comment lines.
pub(crate) fn programs(text: &str) -> Vec<Vec<u8>> {
    let mut programs = vec![String::new()];
    for line in text.lines() {
        if line.starts_with("// -----") {
            programs.push(String::new());
        } else if !line.trim_start().starts_with("//")
            && let Some(program) = programs.last_mut()
        {
            program.push_str(line);
            program.push('\n');
        }
    }
    programs
        .into_iter()
        .filter(|p| !p.trim().is_empty())
        .map(String::into_bytes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "// RUN: x\n#m = map<1024x64>\n// -----\n  // CHECK\nfunc @f(%a: i32) {\n}\n\n// -----\n";

    #[test]
    fn files_are_split_and_comments_dropped() {
        let programs = programs(TEXT);
        assert_eq!(
            programs,
            [
                b"#m = map<1024x64>\n".to_vec(),
                b"func @f(%a: i32) {\n}\n\n".to_vec()
            ]
        );
    }

    #[test]
    fn tokens_are_a_partition() {
        let text = b"%0 = spyre.add %a, 1024x64 \xff\xfe\n";
        assert_eq!(tokens(text).concat(), text);
        let words: Vec<_> = tokens(b"spyre.add 1024x64->(")
            .into_iter()
            .map(Cow::into_owned)
            .collect();
        assert_eq!(
            words,
            [
                &b"spyre.add"[..],
                b" ",
                b"1024",
                b"x",
                b"64",
                b"-",
                b">",
                b"("
            ]
        );
    }

    #[test]
    fn mutations_repeat_with_the_seed() {
        let corpus = programs(TEXT);
        let run = |seed| {
            let mut rng = Rng::new(seed, 0);
            (0..500)
                .map(|_| mutate(&corpus, &mut rng))
                .collect::<Vec<_>>()
        };
        assert_eq!(run(42), run(42));
        assert_ne!(run(42), run(43));
    }

    #[test]
    fn most_mutants_differ_from_the_corpus() {
        let corpus = programs(TEXT);
        let mut rng = Rng::new(1, 0);
        let changed = (0..1000)
            .filter(|_| !corpus.contains(&mutate(&corpus, &mut rng)))
            .count();
        assert!(changed > 800, "{changed}");
    }

    #[test]
    fn degenerate_corpora() {
        let mut rng = Rng::new(1, 0);
        assert!(mutate(&[], &mut rng).is_empty());
        for _ in 0..1000 {
            mutate(&[vec![]], &mut rng);
            mutate(&[b"7".to_vec()], &mut rng);
        }
    }
}
