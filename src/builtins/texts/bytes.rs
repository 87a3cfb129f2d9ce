//! Texts as bytes in an encoding.

use crate::builtins::arguments::{is_var, list, small_integer, text};
use crate::builtins::record::{det, pure};
use crate::engine::error::{domain_error, instantiation_error, representation_error, syntax_error, type_error};
use crate::engine::{Builtin, Cell, Stop, Store, Term, World};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([det(
    "string_bytes(?String, ?Bytes, +Encoding) is det",
    "The bytes of a text, or the text of bytes: octet, iso_latin_1, ascii, utf8, text, utf16le or utf16be.",
    "string_bytes(\"é\", L, utf8)",
    "L = [195, 169]",
    string_bytes,
)]);

/// How characters are encoded as bytes.
#[derive(Clone, Copy)]
enum Encoding {
    /// One byte for each character, up to this code.
    Single(u32),
    Utf8,
    Utf16(fn(u16) -> [u8; 2], fn([u8; 2]) -> u16),
}

fn string_bytes(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    let encoding = encoding(store, args[2])?;
    if is_var(store, args[0]) && is_var(store, args[1]) {
        return Err(instantiation_error());
    }
    if is_var(store, args[0]) {
        let bytes = bytes(store, args[1])?;
        let text = decode(&bytes, encoding)?;
        let text = store.string(&text);
        return Ok(store.unify(args[0], text));
    }
    let text = text(store, args[0], "text")?.into_owned();
    let bytes = encode(&text, encoding)?;
    let bytes: Vec<Cell> = bytes.into_iter().map(|byte| store.int(i64::from(byte))).collect();
    let bytes = store.list(&bytes);
    Ok(store.unify(args[1], bytes))
}

fn encoding(store: &Store, cell: Cell) -> Result<Encoding, Stop> {
    let name = match store.look(cell) {
        Term::Atom(name) => name,
        Term::Var(_) => return Err(instantiation_error()),
        _ => return Err(type_error(store, "atom", cell)),
    };
    match name.as_str() {
        "octet" | "iso_latin_1" => Ok(Encoding::Single(0xff)),
        "ascii" => Ok(Encoding::Single(0x7f)),
        "utf8" | "text" => Ok(Encoding::Utf8),
        "utf16le" | "unicode_le" => Ok(Encoding::Utf16(u16::to_le_bytes, u16::from_le_bytes)),
        "utf16be" | "unicode_be" => Ok(Encoding::Utf16(u16::to_be_bytes, u16::from_be_bytes)),
        _ => Err(domain_error(store, "encoding", cell)),
    }
}

fn bytes(store: &Store, cell: Cell) -> Result<Vec<u8>, Stop> {
    let byte = |item| u8::try_from(small_integer(store, item)?).map_err(|_| type_error(store, "byte", item));
    list(store, cell)?.into_iter().map(byte).collect()
}

fn encode(text: &str, encoding: Encoding) -> Result<Vec<u8>, Stop> {
    match encoding {
        Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
        Encoding::Utf16(to_bytes, _) => Ok(text.encode_utf16().flat_map(to_bytes).collect()),
        Encoding::Single(max) => {
            let byte = |c: char| u8::try_from(c).ok().filter(|&byte| u32::from(byte) <= max);
            text.chars().map(byte).collect::<Option<_>>().ok_or_else(|| representation_error("encoding"))
        }
    }
}

fn decode(bytes: &[u8], encoding: Encoding) -> Result<String, Stop> {
    match encoding {
        Encoding::Utf8 => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) if error.error_len().is_none() => Err(syntax_error("incomplete_multibyte_sequence")),
            Err(_) => Err(syntax_error("illegal_multibyte_sequence")),
        },
        Encoding::Utf16(_, from_bytes) => {
            let (units, []) = bytes.as_chunks::<2>() else {
                return Err(syntax_error("incomplete_multibyte_sequence"));
            };
            let units = units.iter().map(|&unit| from_bytes(unit));
            char::decode_utf16(units).collect::<Result<_, _>>().map_err(|_| syntax_error("illegal_utf16_sequence"))
        }
        Encoding::Single(max) => {
            let character = |&byte: &u8| (u32::from(byte) <= max).then_some(char::from(byte));
            bytes.iter().map(character).collect::<Option<_>>().ok_or_else(|| representation_error("encoding"))
        }
    }
}
