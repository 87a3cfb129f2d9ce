//! Reads Mercury terms with the Prolog reader: Mercury's operators, and rewrites of its notation where it differs.

use crate::syntax::lexer::LexemeKind;
use crate::syntax::tokens::{EndDot, Token, Tokens};
use crate::syntax::{ReadFlags, SyntaxError, read_goal};
use crate::term::ops::{OpKind, OpTable};
use crate::term::{Atom, Span, Tree};

/// Reads a clause or declaration; the spans of its nodes are offsets in the text of the item.
///
/// `!.X` and `!:X` are read as `X`, `m.p` as `m:p` (a dot is the functor of lists), `` A `f` B `` as the operator `f`,
/// quantifiers without their variables, and `Pred(X)` as `vred(X)`: the text shows whether a functor is a variable.
pub(crate) fn read(item: &str) -> Result<Tree, SyntaxError> {
    let mut ops = operators();
    let text = in_plain_terms(item, &mut ops);
    read_goal(&text, &ops, &ReadFlags::default()).map(|term| term.tree)
}

/// Quantifiers: a list of variables or parameters precedes their goal.
pub(crate) const QUANTIFIERS: &[&str] = &[
    "some",
    "all",
    "trace",
    "try",
    "promise_equivalent_solutions",
    "promise_equivalent_solution_sets",
    "arbitrary",
    "require_complete_switch",
    "disable_warnings",
];

/// Replaces notation that differs from Prolog's by the same number of bytes, so that all offsets stay valid.
fn in_plain_terms(item: &str, ops: &mut OpTable) -> String {
    let tokens: Vec<Token> =
        Tokens::new(item, 0, EndDot::Forgiven).map_while(Result::ok).map(|(_, token, _)| token).collect();
    let mut text = item.to_owned();
    let mut open_lists = None;
    for (i, token) in tokens.iter().enumerate() {
        if blank_list(&mut text, *token, &mut open_lists) {
            continue;
        }
        let Some(next) = tokens.get(i + 1) else { break };
        let is_joined = token.span.end == next.span.start;
        match token.kind {
            LexemeKind::Variable if is_joined && next.kind == LexemeKind::Open && of(item, *token).is_ascii() => {
                replace(&mut text, Span { start: token.span.start, end: token.span.start + 1 }, "v");
            }
            LexemeKind::Name if QUANTIFIERS.contains(&of(item, *token)) => match next.kind {
                LexemeKind::OpenList => open_lists = Some(0),
                LexemeKind::EmptyList => blank(&mut text, next.span),
                _ => {}
            },
            LexemeKind::Solo if is_joined && of(item, *token) == "!" && matches!(of(item, *next), "." | ":") => {
                blank(&mut text, Span { start: token.span.start, end: next.span.end });
            }
            LexemeKind::Integer if is_joined && next.kind == LexemeKind::Name => blank(&mut text, next.span),
            LexemeKind::Symbol if of(&text, *token) == "." => replace(&mut text, token.span, ":"),
            LexemeKind::BackQuoted => {
                ops.add(120, OpKind::Yfx, Atom::new(of(item, *token).trim_matches('`')));
                replace(&mut text, token.span, &of(item, *token).replace('`', " "));
            }
            _ => {}
        }
    }
    if open_lists.is_some() { item.to_owned() } else { text }
}

/// Blanks a token of the list after a quantifier; returns whether it was such a token.
fn blank_list(text: &mut String, token: Token, open_lists: &mut Option<usize>) -> bool {
    let Some(depth) = *open_lists else { return false };
    *open_lists = match token.kind {
        LexemeKind::OpenList => Some(depth + 1),
        LexemeKind::CloseList if depth <= 1 => None,
        LexemeKind::CloseList => Some(depth - 1),
        _ => Some(depth),
    };
    blank(text, token.span);
    true
}

fn of(item: &str, token: Token) -> &str {
    &item[token.span.start as usize..token.span.end as usize]
}

fn blank(text: &mut String, span: Span) {
    replace(text, span, &" ".repeat((span.end - span.start) as usize));
}

fn replace(text: &mut String, span: Span, by: &str) {
    text.replace_range(span.start as usize..span.end as usize, by);
}

fn operators() -> OpTable {
    let mut table = OpTable::default();
    for (priority, kind, names) in OPERATORS {
        for name in names.split(' ') {
            table.add(*priority, *kind, Atom::of_program(name));
        }
    }
    table
}

/// The operators of Mercury's library `ops`; here a quantifier has one operand, and `::` binds tighter, since it may
/// occur in arguments.
const OPERATORS: &[(u16, OpKind, &str)] = &[
    (1200, OpKind::Xfx, ":- -->"),
    (1200, OpKind::Fx, ":- ?-"),
    (1199, OpKind::Fx, "module end_module import_module use_module include_module mode inst instance typeclass pragma"),
    (1199, OpKind::Fx, "promise initialise initialize finalise finalize"),
    (1181, OpKind::Fy, "solver"),
    (1180, OpKind::Fx, "type"),
    (1180, OpKind::Xfy, "catch"),
    (1175, OpKind::Xfx, "where ==> --->"),
    (1170, OpKind::Xfy, "else"),
    (1170, OpKind::Xfy, "catch_any"),
    (1160, OpKind::Fx, "if"),
    (1150, OpKind::Xfx, "then"),
    (1100, OpKind::Xfy, "; |"),
    (1050, OpKind::Xfy, "->"),
    (1025, OpKind::Xfy, "&"),
    (950, OpKind::Fy, "some all trace try promise_equivalent_solutions promise_equivalent_solution_sets arbitrary"),
    (950, OpKind::Fy, "require_complete_switch disable_warnings atomic"),
    (920, OpKind::Xfy, "<= <=> =>"),
    (900, OpKind::Fy, "\\+ not"),
    (900, OpKind::Fx, "~"),
    (900, OpKind::Xfx, "when"),
    (800, OpKind::Fx, "pred func"),
    (800, OpKind::Fy, "impure semipure"),
    (750, OpKind::Xfx, "::"),
    (740, OpKind::Xfy, "or or_else"),
    (720, OpKind::Xfy, "and"),
    (701, OpKind::Xfx, "is"),
    (700, OpKind::Xfx, "= =.. =:= =< == =\\= < > >= @< @> @=< @>= \\= \\== ~= <>"),
    (650, OpKind::Xfx, ":="),
    (550, OpKind::Xfx, ".. with_type with_inst"),
    (500, OpKind::Yfx, "+ - -- \\/"),
    (500, OpKind::Xfy, "++"),
    (500, OpKind::Xfx, "for"),
    (500, OpKind::Fx, "+ -"),
    (400, OpKind::Yfx, "* / // /\\ << >> div"),
    (400, OpKind::Xfx, "rem mod"),
    (200, OpKind::Xfx, "**"),
    (200, OpKind::Fx, "\\"),
    (100, OpKind::Fx, "event"),
    (100, OpKind::Yfx, "^"),
    (90, OpKind::Xfx, "@"),
    (40, OpKind::Fx, "!"),
    (10, OpKind::Yfx, ":"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::print::{self, Style};

    fn as_read(item: &str) -> String {
        match read(item) {
            Ok(tree) => print::to_string(&tree, tree.root(), &OpTable::default(), &Style::canonical()),
            Err(error) => panic!("{item}: {error:?}"),
        }
    }

    #[test]
    fn what_mercury_writes_otherwise_keeps_its_place() {
        assert_eq!(as_read("p(!.X, !:Y, !IO)."), "p(_0,_1,!(_2))");
        assert_eq!(as_read("X = A `f` B."), "=(_0,f(_1,_2))");
        assert_eq!(as_read("some [X, [Y]] (q(X))."), "some(q(_0))");
        assert_eq!(as_read("Pred(X), X = 10u8."), "','(vred(_0),=(_0,10))");
        assert_eq!(as_read("if a then b else c."), "else(if(then(a,b)),c)");
        assert_eq!(as_read("io.write_string(\"x\", !IO)."), ":(io,write_string(\"x\",!(_0)))");
        assert_eq!(as_read(":- pred p(int::in) is det."), ":-(pred(is(p(::(int,in)),det)))");
    }
}
