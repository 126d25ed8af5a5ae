//! A gzip bomb: a small body that unpacks to a gigabyte.

use axum::body::Bytes;
use axum::http::header::CONTENT_ENCODING;
use axum::http::{HeaderValue, Response};

use super::context::{FaultContext, FaultOutput};

/// The beginning of a gigabyte of spaces in gzip: a dynamic block in which a zero bit encodes a run of 258 more spaces,
/// and another one its distance.
const BEGINNING: [u8; 25] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xed, 0xc0, 0x81, 0x00, 0x00, 0x00, 0x00, 0x80, 0x20,
    0x95, 0xfd, 0x29, 0x17, 0xa9, 0x00,
];

/// The number of bytes of zero bits after the beginning, four runs each.
const ZEROS: usize = (1 << 30) / 258 / 4;

/// Simulates a hostile market: responds with 1 GiB of spaces, compressed with gzip to 1 MiB, under the status
/// of the normal response.
pub fn bomb(cx: &mut FaultContext<'_>) -> FaultOutput {
    let mut bytes = BEGINNING.to_vec();
    bytes.resize(BEGINNING.len() + ZEROS, 0);
    bytes.push(0b11); // the end of the block
    let (parts, _) = cx.reply.clone().into_parts();
    let mut response = Response::from_parts(parts, Bytes::from(bytes));
    response
        .headers_mut()
        .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    FaultOutput::Response(response)
}
