//! Whether a value can satisfy several forms, in any trace.

use super::constraint::satisfied;
use super::form::FormOp;
use crate::term::atoms;
use crate::term::number::Number;
use crate::trace::column::intervals::Bound;

/// Whether some value satisfies all forms. A value for each kind that the forms can tell apart is tried: each text and
/// number in them, another text, and the numbers beside and between. Of forms with other parts it is believed.
pub(crate) fn can_hold(forms: &[&[FormOp]]) -> bool {
    let Some(samples) = samples(forms.iter().copied().flatten()) else { return true };
    let tables: Option<Vec<Vec<u8>>> = forms.iter().map(|form| satisfied(&samples, form)).collect();
    tables.is_none_or(|tables| (0..samples.len()).any(|sample| tables.iter().all(|table| table[sample] == 1)))
}

/// What all values of an attribute satisfy: a depth is not negative, and a name is no empty list.
pub(crate) fn form_of_all(attribute: &str) -> Vec<FormOp> {
    match attribute {
        "depth" => {
            vec![FormOp::Range(Some(Bound { number: Number::Int(0), is_included: true }), None)]
        }
        "name" | "port" => vec![FormOp::Atom(atoms::NIL), FormOp::Not],
        _ => vec![FormOp::Any],
    }
}

/// The values to try, in stored form.
fn samples<'f>(ops: impl Iterator<Item = &'f FormOp>) -> Option<Vec<String>> {
    let (mut values, mut numbers) = (vec!["a\0".to_string()], Vec::new());
    for op in ops {
        match op {
            FormOp::Atom(name) => values.push(format!("a{name}")),
            FormOp::Str(text) => values.push(format!("a{text}")),
            FormOp::Number(number) => numbers.push(number),
            FormOp::Range(low, high) => numbers.extend(low.iter().chain(high).map(|end| &end.number)),
            FormOp::Any | FormOp::AnyOf(_) | FormOp::Not => {}
            FormOp::Path(_) | FormOp::Regex(_) | FormOp::Proc(_) => return None,
        }
    }
    let mut floats = Vec::new();
    for number in numbers {
        let value = match number {
            Number::Int(value) => *value as f64,
            Number::Float(value) if value.is_finite() => *value,
            Number::Float(_) | Number::Big(_) => return None,
        };
        values.push(format!("{}{number}", if number.is_float() { 'f' } else { 'i' }));
        floats.extend([value.next_down(), value, value.next_up()]);
    }
    floats.sort_by(f64::total_cmp);
    let between = floats.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
    values.extend(between.chain(floats.iter().copied()).map(|value| format!("f{value:?}")));
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::can_hold;
    use crate::term::Atom;
    use crate::trace::column::intervals::Bound;
    use crate::trace::search::form::FormOp::{self, AnyOf, Not, Range, Str};

    #[test]
    fn forms_that_no_value_satisfies_are_found() {
        let name = |text: &str| FormOp::Atom(Atom::new(text));
        let bound = |value: i64, is_included| Some(Bound { number: value.into(), is_included });
        let (above, below) = (|low| Range(bound(low, false), None), |high| Range(None, bound(high, false)));
        let cases: [(&[&[FormOp]], bool); 11] = [
            (&[&[name("a")], &[name("b")]], false),
            (&[&[name("a")], &[Str("a".into())]], true),
            (&[&[name("a")], &[name("a"), Not]], false),
            (&[&[name("a"), Not], &[name("b"), Not]], true),
            (&[&[name("a"), name("b"), AnyOf(2)], &[name("b"), name("c"), AnyOf(2)]], true),
            (&[&[name("a"), name("b"), AnyOf(2)], &[name("c")]], false),
            (&[&[above(3)], &[below(2)]], false),
            (&[&[above(3)], &[below(4)]], true),
            (&[&[above(i64::MAX)]], true),
            (&[&[Range(bound(5, true), bound(3, true))]], false),
            (&[&[above(3)], &[name("a")]], false),
        ];
        for (forms, holds) in cases {
            assert_eq!(can_hold(forms), holds, "{forms:?}");
        }
    }
}
