//! What goes to the helper and comes back, in 64-bit words; `helper.c` is the other side.

use std::io::{self, Read, Write};

use vm::{NativeCall, NativeEnd, NativeResult, NativeReturn, NativeValue};

/// Sends the call of the function at this position of the helper's table.
pub fn send(to: &mut impl Write, position: usize, call: &NativeCall) -> io::Result<()> {
    let (result, size) = match call.result {
        NativeResult::Number => (0, 0),
        NativeResult::Text => (1, 0),
        NativeResult::Bytes(size) => (2, size),
    };
    let mut message = Vec::new();
    let mut word = |word: u64| message.extend(word.to_le_bytes());
    word(position as u64);
    word(call.arguments.len() as u64);
    word(call.objects.len() as u64);
    word(result);
    word(size);
    for &argument in &call.arguments {
        value(&mut message, argument);
    }
    for object in &call.objects {
        message.extend((object.bytes.len() as u64).to_le_bytes());
        message.extend((object.pointers.len() as u64).to_le_bytes());
        for &(at, target) in &object.pointers {
            message.extend(at.to_le_bytes());
            value(&mut message, target);
        }
        message.extend(&object.bytes);
    }
    to.write_all(&message)?;
    to.flush()
}

fn value(message: &mut Vec<u8>, value: NativeValue) {
    let words = match value {
        NativeValue::Bits(bits) => [0, bits, 0],
        NativeValue::Pointer { object, offset } => [1, object as u64, offset],
    };
    message.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Receives how the call ended.
pub fn receive(from: &mut impl Read, call: &NativeCall) -> io::Result<NativeEnd> {
    let end = word(from)?;
    let kind = word(from)?;
    let value = word(from)?;
    let offset = word(from)?;
    let error = word(from)?;
    Ok(match end {
        0 => {
            let mut objects = Vec::with_capacity(call.objects.len());
            for object in &call.objects {
                objects.push(bytes(from, object.bytes.len() as u64)?);
            }
            let result = match kind {
                0 => NativeReturn::Value(NativeValue::Bits(value)),
                1 => NativeReturn::Value(NativeValue::Pointer {
                    object: value as usize,
                    offset,
                }),
                _ => NativeReturn::Library {
                    place: value,
                    bytes: bytes(from, offset)?,
                },
            };
            let error_number = u32::try_from(error).ok().filter(|&number| number != 0);
            NativeEnd::Returned {
                result,
                objects,
                error_number,
            }
        }
        1 => NativeEnd::Behind(value as usize),
        2 => NativeEnd::Null,
        _ if value == 0 => NativeEnd::Failed("cannot be called".to_owned()),
        _ => NativeEnd::Failed(format!("ends with signal {value}")),
    })
}

fn word(from: &mut impl Read) -> io::Result<u64> {
    let mut word = [0; 8];
    from.read_exact(&mut word)?;
    Ok(u64::from_le_bytes(word))
}

fn bytes(from: &mut impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(size).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == size {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
