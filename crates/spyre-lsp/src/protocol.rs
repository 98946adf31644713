//! Messages of the Language Server Protocol on streams: headers, an empty line, and a body of JSON.

use std::io::{self, BufRead, Read, Write};

/// The longest body that is read into memory, in bytes: the limit of MLIR's server.
const MOST_BYTES: u64 = 1 << 30;

/// The longest header line that is read, in bytes.
const MOST_HEADER_BYTES: u64 = 1 << 16;

/// The next part of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The body of a message.
    Message(Vec<u8>),
    /// Bytes that are no message. The rest of the stream has no known structure.
    Broken(Vec<u8>),
}

/// Returns the next part of a stream; `None` at its end.
///
/// # Errors
/// The stream cannot be read.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let mut bytes = Vec::new();
    let mut length = None;
    loop {
        let start = bytes.len();
        let mut line = input.by_ref().take(MOST_HEADER_BYTES);
        line.read_until(b'\n', &mut bytes)?;
        let line = String::from_utf8_lossy(&bytes[start..]);
        if !line.ends_with('\n') {
            // The end of the stream, in the middle of a header or between messages, or a line that is no header.
            return Ok((!bytes.is_empty()).then_some(Frame::Broken(bytes)));
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let Some(length) = length.filter(|length| *length <= MOST_BYTES) else {
        return Ok(Some(Frame::Broken(bytes)));
    };
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if u64::try_from(body.len()) == Ok(length) {
        return Ok(Some(Frame::Message(body)));
    }
    bytes.extend(body);
    Ok(Some(Frame::Broken(bytes)))
}

/// Writes a message.
///
/// # Errors
/// The stream cannot be written.
pub(crate) fn write(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(mut stream: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = read(&mut stream).expect("bytes in memory can be read") {
            frames.push(frame);
        }
        frames
    }

    #[test]
    fn messages_are_read_as_they_are_written() {
        let mut stream = Vec::new();
        write(&mut stream, b"{}").expect("memory can be written");
        write(&mut stream, b"[1]").expect("memory can be written");
        let messages = [&b"{}"[..], b"[1]"].map(|body| Frame::Message(body.to_vec()));
        assert_eq!(frames(&stream), messages);
    }

    #[test]
    fn other_headers_are_skipped_and_case_does_not_matter() {
        let stream = b"Content-Type: text\r\ncontent-length:2\r\n\r\n{}";
        assert_eq!(frames(stream), [Frame::Message(b"{}".to_vec())]);
    }

    #[test]
    fn broken_streams_are_kept_byte_by_byte() {
        let streams = [
            &b"garbage\r\n\r\n"[..],
            b"Content-Length: x\r\n\r\n",
            b"Content-Length: 10\r\n\r\n{}",
            b"Content-Length: 999999999999\r\n\r\n",
            b"Content-Le",
        ];
        for stream in streams {
            assert_eq!(frames(stream), [Frame::Broken(stream.to_vec())]);
        }
        assert_eq!(frames(b""), []);
    }
}
