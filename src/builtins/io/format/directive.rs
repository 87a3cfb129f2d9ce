//! The directives of format/2: `~` with an optional number and a letter.

use num_bigint::BigInt;
use std::str::Chars;

use crate::builtins::arguments::{atomic_text, check_elements, code, count, is_var, text};
use crate::builtins::io::write::{canonical, plain, written};
use crate::engine::arith::{Number, evaluate};
use crate::engine::error::{domain_error, format_error, instantiation_error, type_error};
use crate::engine::{Cell, Stop, Store, Term, World};
use crate::term::float;
use crate::term::print::Style;

use super::arguments::DirectiveArguments;
use super::columns::Columns;
use super::number::{self, Capitals};

/// The number between `~` and the letter.
#[derive(Clone, Copy)]
enum Numeric {
    None,
    Number(usize),
    /// A character in backquotes; it counts as its code.
    Character(char),
}

impl Numeric {
    fn number(self) -> Option<usize> {
        match self {
            Numeric::None => None,
            Numeric::Number(number) => Some(number),
            Numeric::Character(character) => Some(u32::from(character) as usize),
        }
    }

    fn number_or(self, default: usize) -> usize {
        self.number().unwrap_or(default)
    }
}

/// Writes `format` with its directives replaced.
pub(crate) fn expand(
    world: &World,
    format: &str,
    arguments: DirectiveArguments,
    columns: Columns,
) -> Result<String, Stop> {
    let mut expansion = Expansion { world, rest: format.chars(), arguments, columns };
    while let Some(tilde) = expansion.rest.as_str().find('~') {
        let (plain, rest) = expansion.rest.as_str().split_at(tilde);
        expansion.columns.push(plain);
        expansion.rest = rest[1..].chars();
        expansion.directive()?;
    }
    expansion.columns.push(expansion.rest.as_str());
    expansion.arguments.finish()?;
    Ok(expansion.columns.finish())
}

/// Which of the arguments of a format are the goals of `~@`, counted from 0.
pub(crate) fn goal_places(format: &str) -> Vec<usize> {
    let (mut places, mut argument) = (Vec::new(), 0);
    let mut rest = format.chars();
    while rest.by_ref().any(|character| character == '~') {
        let mut letter = rest.by_ref().find(|character| !character.is_ascii_digit());
        match letter {
            Some('`') => letter = rest.by_ref().nth(1),
            Some('*') => {
                argument += 1;
                letter = rest.next();
            }
            Some(':') => letter = rest.next(),
            _ => {}
        }
        match letter {
            Some('@') => places.push(argument),
            Some('n' | '~' | 't' | '|' | '+') | None => continue,
            Some(_) => {}
        }
        argument += 1;
    }
    places
}

struct Expansion<'a> {
    world: &'a World,
    rest: Chars<'a>,
    arguments: DirectiveArguments,
    columns: Columns,
}

impl Expansion<'_> {
    fn directive(&mut self) -> Result<(), Stop> {
        let numeric = self.numeric()?;
        let letter = self.letter()?;
        match letter {
            'n' => self.columns.push_repeated('\n', numeric.number_or(1)),
            '~' => self.columns.push_repeated('~', 1),
            't' => {
                self.fill_point(numeric);
                Ok(())
            }
            '|' => self.columns.stop_at(numeric.number()),
            '+' => self.columns.stop_after(numeric.number_or(8)),
            'i' => self.arguments.next().map(drop),
            'c' => self.character(numeric),
            _ => {
                let text = self.argument(letter, numeric)?;
                self.columns.push(&text);
                Ok(())
            }
        }
    }

    /// The letter of a directive. In `~:d` the locale decides about groups of digits; papaver's has none.
    fn letter(&mut self) -> Result<char, Stop> {
        let truncated = || format_error("truncated format specification");
        match self.rest.next().ok_or_else(truncated)? {
            ':' => self.rest.next().ok_or_else(truncated),
            letter => Ok(letter),
        }
    }

    fn numeric(&mut self) -> Result<Numeric, Stop> {
        let digits = self.rest.as_str().bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.as_str().split_at(digits);
        if digits > 0 {
            self.rest = rest.chars();
            return Ok(Numeric::Number(number.parse().unwrap_or(usize::MAX)));
        }
        match rest.chars().next() {
            Some('*') => {
                self.rest.next();
                let argument = self.arguments.next()?;
                count(&self.world.store, argument).map(Numeric::Number)
            }
            Some('`') => {
                self.rest.next();
                let character = self.rest.next();
                character.map(Numeric::Character).ok_or_else(|| format_error("truncated format specification"))
            }
            _ => Ok(Numeric::None),
        }
    }

    fn fill_point(&mut self, numeric: Numeric) {
        let character = match numeric {
            Numeric::None => ' ',
            Numeric::Character(character) => character,
            Numeric::Number(code) => u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(' '),
        };
        self.columns.fill_point(character);
    }

    fn character(&mut self, numeric: Numeric) -> Result<(), Stop> {
        let argument = self.arguments.next()?;
        let character = code(&self.world.store, argument)?;
        self.columns.push_repeated(character, numeric.number_or(1))
    }

    /// The text of the next argument for a directive.
    fn argument(&mut self, letter: char, numeric: Numeric) -> Result<String, Stop> {
        if !"wpqkadDfegrRsI@".contains(letter) {
            return Err(format_error(&format!("unknown directive ~{letter}")));
        }
        let argument = self.arguments.next()?;
        match letter {
            'w' => written(self.world, argument, &plain()),
            'p' | 'q' => written(self.world, argument, &Style::writeq()),
            'k' => canonical(self.world, argument),
            'a' | '@' => self.atomic(argument),
            's' => text(&self.world.store, argument, "text").map(|text| text.into_owned()),
            'd' => number::integer(&self.integer(argument)?, numeric.number_or(0), None),
            'D' => number::integer(&self.integer(argument)?, numeric.number_or(0), Some(',')),
            'I' => number::integer(&self.integer(argument)?, 0, Some('_')),
            'r' | 'R' => self.in_radix(letter, argument, numeric),
            _ => self.float(letter, argument, numeric.number_or(6)),
        }
    }

    fn atomic(&self, argument: Cell) -> Result<String, Stop> {
        match atomic_text(&self.world.store, argument) {
            Some(text) => Ok(text.into_owned()),
            None => text(&self.world.store, argument, "atomic").map(|text| text.into_owned()),
        }
    }

    fn integer(&self, argument: Cell) -> Result<BigInt, Stop> {
        let number = match self.world.store.look(argument) {
            Term::Compound(_) => Some(evaluate(&self.world.store, argument)?),
            _ => Number::of(&self.world.store, argument),
        };
        number.as_ref().and_then(number::whole).ok_or_else(|| {
            let unknown = is_var(&self.world.store, argument);
            if unknown { instantiation_error() } else { type_error(&self.world.store, "integer", argument) }
        })
    }

    fn in_radix(&self, letter: char, argument: Cell, numeric: Numeric) -> Result<String, Stop> {
        let radix = numeric.number().ok_or_else(|| format_error("~r needs a radix"))?;
        let value = self.integer(argument)?;
        if !(2..=36).contains(&radix) {
            return Err(radix_error(radix));
        }
        let capitals = if letter == 'R' { Capitals::Yes } else { Capitals::No };
        Ok(number::in_radix(&value, radix as u32, capitals))
    }

    fn float(&self, letter: char, argument: Cell, places: usize) -> Result<String, Stop> {
        check_elements(places)?;
        let value = evaluate(&self.world.store, argument)?;
        match letter {
            'f' => number::fixed(&value, places),
            'e' => Ok(float::exponential(value.to_float()?, places)),
            _ => Ok(float::general(value.to_float()?, places)),
        }
    }
}

fn radix_error(radix: usize) -> Stop {
    let mut store = Store::new();
    let radix = store.int(i64::try_from(radix).unwrap_or(i64::MAX));
    domain_error(&store, "radix", radix)
}
