//! How deeply a JSON text nests, found without recursion and before anything parses it.

/// Whether arrays and objects nest more than `limit` deep. Brackets inside strings do not count; text
/// that is not JSON gets some answer and is left to the parser.
pub(super) fn exceeds(text: &[u8], limit: usize) -> bool {
    // Most bodies have fewer brackets than the limit, and counting them is much cheaper.
    let opened = text.iter().filter(|byte| matches!(byte, b'{' | b'['));
    opened.count() > limit && deepest(text) > limit
}

fn deepest(text: &[u8]) -> usize {
    let mut depth: usize = 0;
    let mut deepest = 0;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_counts_and_strings_do_not() {
        for (text, depth) in [
            ("1", 0),
            ("[]", 1),
            (r#"{"a":[{}]}"#, 3),
            ("[[],[],[]]", 2),
            (r#"["[[[[","\"[[","\\",[]]"#, 2),
            ("]]]][", 1),
            ("\"[[[", 0),
        ] {
            assert_eq!(deepest(text.as_bytes()), depth, "{text}");
            assert!(!exceeds(text.as_bytes(), depth), "{text}");
            assert!(depth == 0 || exceeds(text.as_bytes(), depth - 1), "{text}");
        }
    }
}
