//! Constants for the atoms that Rust code uses.

use super::Atom;

macro_rules! predefined {
    ($($constant:ident = $name:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Id { $($constant,)* }
        /// The names of the constants, by number.
        pub(super) const NAMES: &[&str] = &[$($name,)*];
        $(
            #[doc = concat!("The atom `", $name, "`.")]
            pub(crate) const $constant: Atom = Atom::from_id(Id::$constant as u32);
        )*
    };
}

predefined! {
    NIL = "[]",
    DOT = ".",
    CURLY = "{}",
    COMMA = ",",
    SEMICOLON = ";",
    BAR = "|",
    ARROW = "->",
    SOFT_ARROW = "*->",
    NECK = ":-",
    QUERY = "?-",
    DCG_ARROW = "-->",
    CUT = "!",
    NOT_PROVABLE = "\\+",
    NO_GOAL = "$no_goal",
    EQUALS = "=",
    NOT_EQUALS = "\\=",
    IDENTICAL = "==",
    NOT_IDENTICAL = "\\==",
    TERM_LESS = "@<",
    TERM_GREATER = "@>",
    TERM_LESS_EQUAL = "@=<",
    TERM_GREATER_EQUAL = "@>=",
    IS = "is",
    ARITH_EQUAL = "=:=",
    ARITH_NOT_EQUAL = "=\\=",
    LESS = "<",
    GREATER = ">",
    LESS_EQUAL = "=<",
    GREATER_EQUAL = ">=",
    PLUS = "+",
    MINUS = "-",
    TIMES = "*",
    DIVIDE = "/",
    COLON = ":",
    RANGE = "..",
    AND = "and",
    DOLLAR_VAR = "$VAR",
    TRUE = "true",
    JSON = "json",
    MAP = "map",
    VALUE = "$value",
    NULL = "null",
    FAIL = "fail",
    FALSE = "false",
    CALL = "call",
    NOT = "not",
    ONCE = "once",
    COUNT = "count",
    IGNORE = "ignore",
    VAR = "var",
    NONVAR = "nonvar",
    ATOM = "atom",
    INTEGER = "integer",
    FLOAT = "float",
    NUMBER = "number",
    ATOMIC = "atomic",
    COMPOUND = "compound",
    CALLABLE = "callable",
    ERROR = "error",
    CONTEXT = "context",
    MESSAGE = "$message",
    UNCAUGHT = "$uncaught",
    RESOURCE_ERROR = "resource_error",
    MATCHES = "matches",
    ARG = "arg",
}
