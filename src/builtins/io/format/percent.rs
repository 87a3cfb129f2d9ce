//! The directives of printf/2: those of C, and ECLiPSe's for terms.

use crate::builtins::arguments::{check_elements, code, is_var, small_integer, text};
use crate::builtins::io::write::{plain, written};
use crate::engine::arith::{Number, evaluate};
use crate::engine::error::{format_error, instantiation_error, type_error};
use crate::engine::{Cell, Stop, World};
use crate::term::float;
use crate::term::print::Style;

use super::arguments::DirectiveArguments;
use super::number::{self, Capitals};

/// Flags, width and precision between `%` and the letter.
#[derive(Default)]
struct FieldLayout {
    left: bool,
    zeros: bool,
    plus: bool,
    width: usize,
    precision: Option<usize>,
}

/// Writes `format` with its directives replaced.
pub(crate) fn expand(world: &World, format: &str, mut arguments: DirectiveArguments) -> Result<String, Stop> {
    let mut text = String::new();
    let mut rest = format;
    while let Some(percent) = rest.find('%') {
        text.push_str(&rest[..percent]);
        rest = &rest[percent + 1..];
        let layout = layout(&mut rest, world, &mut arguments)?;
        let letter = rest.chars().next().ok_or_else(|| format_error("truncated format specification"))?;
        rest = &rest[letter.len_utf8()..];
        match letter {
            '%' => text.push('%'),
            'n' => text.push('\n'),
            'b' => {}
            _ => {
                let argument = arguments.next()?;
                text.push_str(&layout.pad(directive(world, letter, argument, &layout)?));
            }
        }
    }
    text.push_str(rest);
    arguments.finish()?;
    Ok(text)
}

fn layout(rest: &mut &str, world: &World, arguments: &mut DirectiveArguments) -> Result<FieldLayout, Stop> {
    let mut layout = FieldLayout::default();
    while let Some(flag) = rest.chars().next().filter(|flag| "-+0 #".contains(*flag)) {
        match flag {
            '-' => layout.left = true,
            '+' => layout.plus = true,
            '0' => layout.zeros = true,
            _ => {}
        }
        *rest = &rest[1..];
    }
    layout.width = number_or_star(rest, world, arguments)?.unwrap_or(0);
    if let Some(behind) = rest.strip_prefix('.') {
        *rest = behind;
        layout.precision = Some(number_or_star(rest, world, arguments)?.unwrap_or(0));
    }
    *rest = rest.trim_start_matches('l');
    check_elements(layout.width.max(layout.precision.unwrap_or(0)))?;
    Ok(layout)
}

fn number_or_star(rest: &mut &str, world: &World, arguments: &mut DirectiveArguments) -> Result<Option<usize>, Stop> {
    if let Some(behind) = rest.strip_prefix('*') {
        *rest = behind;
        let argument = arguments.next()?;
        let number = small_integer(&world.store, argument)?;
        return Ok(usize::try_from(number).ok());
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at(digits);
    *rest = behind;
    Ok((digits > 0).then(|| number.parse().unwrap_or(usize::MAX)))
}

fn directive(world: &World, letter: char, argument: Cell, layout: &FieldLayout) -> Result<String, Stop> {
    match letter {
        'w' => written(world, argument, &plain()),
        'q' | 'p' | 'm' => written(world, argument, &Style::writeq()),
        'a' | 's' => {
            let text = text(&world.store, argument, "text")?;
            Ok(text.chars().take(layout.precision.unwrap_or(usize::MAX)).collect())
        }
        'c' => code(&world.store, argument).map(String::from),
        'd' | 'i' | 'u' => {
            let text = integer(world, argument, 10, Capitals::No)?;
            Ok(if layout.plus && !text.starts_with('-') { format!("+{text}") } else { text })
        }
        'x' => integer(world, argument, 16, Capitals::No),
        'X' => integer(world, argument, 16, Capitals::Yes),
        'o' => integer(world, argument, 8, Capitals::No),
        'f' => number::fixed(&evaluate(&world.store, argument)?, layout.precision.unwrap_or(6)),
        'e' => Ok(float::exponential(evaluate(&world.store, argument)?.to_float()?, layout.precision.unwrap_or(6))),
        'g' => Ok(float::general(evaluate(&world.store, argument)?.to_float()?, layout.precision.unwrap_or(6))),
        _ => Err(format_error(&format!("unknown directive %{letter}"))),
    }
}

fn integer(world: &World, argument: Cell, radix: u32, capitals: Capitals) -> Result<String, Stop> {
    match Number::of(&world.store, argument).as_ref().and_then(number::whole) {
        Some(value) => Ok(number::in_radix(&value, radix, capitals)),
        None if is_var(&world.store, argument) => Err(instantiation_error()),
        None => Err(type_error(&world.store, "integer", argument)),
    }
}

impl FieldLayout {
    fn pad(&self, text: String) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        let is_number = text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
        match (self.left, self.zeros && is_number) {
            (true, _) => format!("{text}{}", " ".repeat(missing)),
            (false, false) => format!("{}{text}", " ".repeat(missing)),
            (false, true) => {
                let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
                format!("{sign}{}{digits}", "0".repeat(missing))
            }
        }
    }
}
