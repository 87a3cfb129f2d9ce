//! The errors of the resolver for tokens that do not form a term.

use super::{ARGUMENT, BracketKind, Resolver, WaitingOperator};
use crate::syntax::SyntaxError;
use crate::syntax::lexer::LexemeKind;
use crate::syntax::tokens::Token;
use crate::term::Span;
use crate::term::letters::excerpt;
use crate::trace::TimeUnit;

impl Resolver<'_> {
    pub(super) fn bare_operator(&self) -> SyntaxError {
        let span = self.operands.last().map_or(Span::default(), |id| self.tree.span(*id));
        let text = &self.text[span.start as usize..span.end as usize];
        SyntaxError::new("operator_balance", format!("expected an operand, found the operator {}", excerpt(text)), span)
            .with_help(format!("write `({text})` for the atom"))
    }

    pub(super) fn clash(&self, new: WaitingOperator) -> SyntaxError {
        let (name, priority) = (new.name, new.op.priority);
        let message = match self.last_waiting() {
            Some(last) => {
                format!("operator `{name}` ({priority}) cannot stand beside `{}` ({})", last.name, last.op.priority)
            }
            None if self.bracket().max() == ARGUMENT => {
                format!("operator `{name}` ({priority}) needs brackets in an argument or list")
            }
            None => format!("operator `{name}` ({priority}) does not fit its operand"),
        };
        SyntaxError::new("operator_clash", message, new.span).with_help("put one of the terms in brackets")
    }

    pub(super) fn expected_term(&self, token: Token) -> SyntaxError {
        let (name, found) = match token.kind {
            LexemeKind::End if token.is_missing_end() => ("end_of_file", "the end of the text".to_string()),
            LexemeKind::End => ("end_of_clause", "the end of the clause".to_string()),
            _ => ("illegal_start_of_term", excerpt(self.text_of(token))),
        };
        SyntaxError::new(name, format!("expected a term, found {found}"), token.span)
    }

    pub(super) fn expected_operator(&self, token: Token) -> SyntaxError {
        let found = excerpt(self.text_of(token));
        let expected = match self.bracket() {
            BracketKind::Clause => "an operator or the end dot",
            BracketKind::Round => "an operator or `)`",
            BracketKind::Curly => "an operator or `}`",
            BracketKind::Call(_) => "`,` or `)`",
            BracketKind::List => "`,`, `|` or `]`",
            BracketKind::ListTail => "`]`",
        };
        let error = SyntaxError::new("operator_expected", format!("expected {expected}, found {found}"), token.span);
        let advice = self.advice_before_bracket(token).map(str::to_string);
        match advice.or_else(|| self.advice_after_number(token)) {
            Some(help) => error.with_help(help),
            None => error,
        }
    }

    /// For `20ms`.
    fn advice_after_number(&self, token: Token) -> Option<String> {
        let before = self.before.filter(|before| before.span.end == token.span.start)?;
        let (number, unit) = (self.text_of(before), self.text_of(token));
        let is_time = number.starts_with(|first: char| first.is_ascii_digit()) && TimeUnit::named(unit).is_some();
        is_time.then(|| format!("a time with a unit is `{unit}({number})`"))
    }

    /// For `foo (x)` and `Foo(x)`, which look like compound terms.
    fn advice_before_bracket(&self, token: Token) -> Option<&'static str> {
        match self.before?.kind {
            _ if token.kind != LexemeKind::Open => None,
            LexemeKind::Name | LexemeKind::Quoted => Some("write no blank between a name and the `(` of its arguments"),
            LexemeKind::Variable => {
                Some("a name that begins with a capital letter or `_` is a variable; put it in quotes")
            }
            _ => None,
        }
    }

    pub(super) fn expected_list_end(&self, token: Token) -> SyntaxError {
        SyntaxError::new("list_rest", format!("expected `]`, found {}", excerpt(self.text_of(token))), token.span)
    }
}
