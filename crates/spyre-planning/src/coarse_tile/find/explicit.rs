//! The syntax of explicit groups: `[@function:]FIRST[-LAST]:COUNT[@DIM[+DIM]][/COUNT[@DIM]...]`.

/// An explicit group: operations and the levels that tile them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExplicitGroup {
    /// The function that the group is meant for; `None` for every function.
    pub(crate) function: Option<String>,
    /// The first operation, by position among the device operations of the function, loops included.
    pub(crate) first: usize,
    /// The last operation, included.
    pub(crate) last: usize,
    /// The levels, outermost first.
    pub(crate) levels: Vec<ExplicitLevel>,
}

/// One level of an explicit group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExplicitLevel {
    /// The number of tiles.
    pub(crate) count: u64,
    /// The iteration dimensions to cut, one loop each.
    pub(crate) dims: Vec<usize>,
}

/// Parses the values of the option `groups`.
pub(crate) fn parse(groups: &[String]) -> Result<Vec<ExplicitGroup>, String> {
    groups
        .iter()
        .map(|group| {
            parse_group(group).map_err(|err| format!("cannot read group '{group}': {err}"))
        })
        .collect()
}

fn parse_group(text: &str) -> Result<ExplicitGroup, String> {
    let (function, rest) = match text.strip_prefix('@') {
        Some(named) => {
            let (name, rest) = named
                .split_once(':')
                .ok_or("expected ':' after the function")?;
            (Some(name.to_owned()), rest)
        }
        None => (None, text),
    };
    let (range, levels) = rest
        .split_once(':')
        .ok_or("expected ':' between operations and counts")?;
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(range)?, number(range)?),
    };
    if last < first {
        return Err(format!(
            "the last operation {last} is before the first, {first}"
        ));
    }
    let levels = levels
        .split('/')
        .map(parse_level)
        .collect::<Result<_, _>>()?;
    Ok(ExplicitGroup {
        function,
        first,
        last,
        levels,
    })
}

fn parse_level(text: &str) -> Result<ExplicitLevel, String> {
    let (count, dims) = text.split_once('@').unwrap_or((text, "0"));
    let count = u64::try_from(number(count)?).map_err(|error| error.to_string())?;
    if count == 0 {
        return Err("a count must be positive".to_owned());
    }
    let dims = dims.split('+').map(number).collect::<Result<Vec<_>, _>>()?;
    Ok(ExplicitLevel { count, dims })
}

fn number(text: &str) -> Result<usize, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("'{text}' is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<ExplicitGroup, String> {
        parse(&[text.to_owned()]).map(|mut groups| groups.remove(0))
    }

    #[test]
    fn nested_levels_on_a_range_of_a_function() {
        assert_eq!(
            one("@f:0-3:2@0/4@1+2"),
            Ok(ExplicitGroup {
                function: Some("f".to_owned()),
                first: 0,
                last: 3,
                levels: vec![
                    ExplicitLevel {
                        count: 2,
                        dims: vec![0]
                    },
                    ExplicitLevel {
                        count: 4,
                        dims: vec![1, 2]
                    }
                ],
            })
        );
    }

    #[test]
    fn dimension_and_range_have_defaults() {
        let group = one("5:8").unwrap();
        assert_eq!((group.first, group.last, group.function), (5, 5, None));
        assert_eq!(
            group.levels,
            [ExplicitLevel {
                count: 8,
                dims: vec![0]
            }]
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("", "expected ':'"),
            ("0-1", "expected ':'"),
            ("@f", "after the function"),
            ("3-1:2", "before the first"),
            ("0:x", "'x' is not a number"),
            ("0:0", "must be positive"),
            ("0:2@", "is not a number"),
        ] {
            let error = one(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
