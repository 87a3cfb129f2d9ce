//! Tables of texts, the terms that they read as, and how those are printed.

use crate::syntax::{DoubleQuotes, ReadFlags, SyntaxError, read_goal};
use crate::term::ops::{OpKind, OpTable};
use crate::term::print::{ListNotation, Spacing, Style, to_string};
use crate::term::{Atom, Tree};

fn read(text: &str) -> Result<Tree, SyntaxError> {
    read_goal(text, &OpTable::standard(), &ReadFlags::default()).map(|term| term.tree)
}

fn show(tree: &Tree, style: &Style) -> String {
    to_string(tree, tree.root(), &OpTable::standard(), style)
}

/// Text, its form with every operator as a functor, its `writeq` form.
fn check(text: &str, canonical: &str, writeq: &str) {
    let tree = read(text).unwrap_or_else(|error| panic!("`{text}`: {error}"));
    assert_eq!(show(&tree, &Style::canonical()), canonical, "canonical form of `{text}`");
    assert_eq!(show(&tree, &Style::writeq()), writeq, "writeq of `{text}`");
    let again = read(writeq).unwrap_or_else(|error| panic!("`{writeq}`: {error}"));
    assert_eq!(show(&again, &Style::canonical()), canonical, "reading `{writeq}` again");
}

#[test]
fn minus_and_numbers() {
    check("-1", "-1", "-1");
    check("- 1", "-1", "-1");
    check("- /* one */ 1", "-1", "-1");
    check("- 1^2", "^(-1,2)", "-1^2");
    check("-(1)", "-(1)", "- (1)");
    check("-(1.5)", "-(1.5)", "- (1.5)");
    check("-(-(1))", "-(-(1))", "- - (1)");
    check("- -1", "-(-1)", "- -1");
    check("a- -1", "-(a,-1)", "a- -1");
    check("a -1", "-(a,1)", "a-1");
    check("a - 1", "-(a,1)", "a-1");
    check("1-(-1)", "-(1,-1)", "1- -1");
    check("[-1, -(1)]", "'.'(-1,'.'(-(1),[]))", "[-1,- (1)]");
    check("-a", "-(a)", "-a");
    check("- - a", "-(-(a))", "- -a");
    check("-(-)", "-(-)", "- (-)");
    check("-1^2", "^(-1,2)", "-1^2");
    check("- (1^2)", "-(^(1,2))", "- (1^2)");
    check("-(a)^2", "^(-(a),2)", "(-a)^2");
    check("-a^2", "-(^(a,2))", "- (a^2)");
    check("2** -1", "**(2,-1)", "2** -1");
    check("+1", "+(1)", "+1");
    check("-{a}", "-({}(a))", "-{a}");
    check("'-'1", "-1", "-1");
}

#[test]
fn operators_group_by_priority_and_kind() {
    check("1-2-3", "-(-(1,2),3)", "1-2-3");
    check("1-(2-3)", "-(1,-(2,3))", "1-(2-3)");
    check("a:-b,c;d->e", ":-(a,;(','(b,c),->(d,e)))", "a:-b,c;d->e");
    check("(a:-b):-c", ":-(:-(a,b),c)", "(a:-b):-c");
    check("a^b^c", "^(a,^(b,c))", "a^b^c");
    check("(a^b)^c", "^(^(a,b),c)", "(a^b)^c");
    check("(1+2)*3", "*(+(1,2),3)", "(1+2)*3");
    check("m:p/2", "/(:(m,p),2)", "m:p/2");
}

#[test]
fn operators_as_atoms() {
    check("X = -", "=(_0,-)", "_0=(-)");
    check("[chrono = -, port = -]", "'.'(=(chrono,-),'.'(=(port,-),[]))", "[chrono=(-),port=(-)]");
    check("f(+)", "f(+)", "f(+)");
    check("f(+, -)", "f(+,-)", "f(+,-)");
    check("[-]", "'.'(-,[])", "[-]");
    check("[-|-]", "'.'(-,-)", "[-|-]");
    check("[(:-)|(:-)]", "'.'(:-,:-)", "[:-|:-]");
    check("{-}", "{}(-)", "{-}");
    check("(-)-(-)", "-(-,-)", "(-)-(-)");
    check("-", "-", "-");
    check("f(:-)", "f(:-)", "f(:-)");
    check("proc = table/2", "=(proc,/(table,2))", "proc=(table)/2");
    check("table = X", "=(table,_0)", "(table)=_0");
    check("mod = is", "=(mod,is)", "(mod)=(is)");
    check("\\+ (-)", "\\+(-)", "\\+ (-)");
    check("- (1)", "-(1)", "- (1)");
    check("dynamic a, b", "dynamic(','(a,b))", "dynamic a,b");
    check("(dynamic a), b", "','(dynamic(a),b)", "(dynamic a),b");
    check(":- dynamic p/1", ":-(dynamic(/(p,1)))", ":-dynamic p/1");
}

#[test]
fn compounds_without_arguments_are_not_atoms() {
    check("f()", "f()", "f()");
    check("f(g(), [])", "f(g(),[])", "f(g(),[])");
    check("'a b'( )", "'a b'()", "'a b'()");
}

#[test]
fn digits_stand_in_groups() {
    check("1 000 000", "1000000", "1000000");
    check("-9 223 372 036 854 775 808", "-9223372036854775808", "-9223372036854775808");
    check("0b1 00000000 00000000", "65536", "65536");
    check("0o7 7777 7777", "134217727", "134217727");
}

#[test]
fn a_name_before_a_bracket_is_an_operator_after_an_operand() {
    check("X =(a, b)", "=(_0,','(a,b))", "_0=(a,b)");
    check("p :-(a ; b, c)", ":-(p,;(a,','(b,c)))", "p:-a;b,c");
    check("- =(a, b)", "-(=(a,b))", "- (a=b)");
    check("=(a, b)", "=(a,b)", "a=b");
    check("[](1)", "[](1)", "[](1)");
    check("[ ](1)", "[](1)", "[](1)");
    check("{}(x)", "{}(x)", "{x}");
}

#[test]
fn lists_curly_terms_and_arguments() {
    check("[a, b|C]", "'.'(a,'.'(b,_0))", "[a,b|_0]");
    check("[a|[b]]", "'.'(a,'.'(b,[]))", "[a,b]");
    check("[ % nothing\n]", "[]", "[]");
    check("{ /* nothing */ }", "{}", "{}");
    check("{a, b}", "{}(','(a,b))", "{a,b}");
    check("f((a:-b))", "f(:-(a,b))", "f((a:-b))");
    check("[(a, b)]", "'.'(','(a,b),[])", "[(a,b)]");
    check("(a | b)", "'|'(a,b)", "a|b");
    check("','", "','", "','");
    check("'[]'", "[]", "[]");
    check("f(A, B, A, _)", "f(_0,_1,_0,_2)", "f(_0,_1,_0,_2)");
}

#[test]
fn operators_that_share_a_priority_keep_their_grouping() {
    let mut ops = OpTable::standard();
    for (kind, name) in
        [(OpKind::Fy, "fy"), (OpKind::Fx, "fx"), (OpKind::Yf, "yf"), (OpKind::Xf, "xf"), (OpKind::Yfx, "yfx")]
    {
        ops.add(9, kind, Atom::new(name));
    }
    ops.add(9, OpKind::Xfy, Atom::new("xfy"));
    let canonical = |text: &str| {
        let term = read_goal(text, &ops, &ReadFlags::default())?;
        Ok::<_, SyntaxError>((
            to_string(&term.tree, term.tree.root(), &ops, &Style::canonical()),
            to_string(&term.tree, term.tree.root(), &ops, &Style::writeq()),
        ))
    };
    let cases = [
        ("fy 1 yf", "fy(yf(1))", "fy 1 yf"),
        ("(fy 1) yf", "yf(fy(1))", "(fy 1)yf"),
        ("fy 1 yfx 2", "fy(yfx(1,2))", "fy 1 yfx 2"),
        ("(fy 1) yfx 2", "yfx(fy(1),2)", "(fy 1) yfx 2"),
        ("1 xfy 2 yfx 3", "xfy(1,yfx(2,3))", "1 xfy 2 yfx 3"),
        ("(1 xfy 2) yfx 3", "yfx(xfy(1,2),3)", "(1 xfy 2) yfx 3"),
        ("1 yf yf", "yf(yf(1))", "1 yf yf"),
        ("fx (fx 1)", "fx(fx(1))", "fx (fx 1)"),
    ];
    for (text, expected, writeq) in cases {
        let (found, written) = canonical(text).unwrap_or_else(|error| panic!("`{text}`: {error}"));
        assert_eq!(found, expected, "`{text}`");
        assert_eq!(written, writeq, "`{text}`");
    }
    for wrong in ["fx fx 1", "1 xf xf", "1 xfx 2 xfx 3"] {
        assert!(canonical(wrong).is_err(), "`{wrong}`");
    }
}

/// `-` is an infix operator only, `pre` a prefix one, and `both` an infix and a postfix one, which op/3 does not allow.
#[test]
fn one_name_in_several_places() {
    let mut ops = OpTable::default();
    let own =
        [(500, OpKind::Yfx, "-"), (700, OpKind::Fy, "pre"), (900, OpKind::Yf, "both"), (1100, OpKind::Xfx, "both")];
    own.into_iter().for_each(|(priority, kind, name)| ops.add(priority, kind, Atom::new(name)));
    let cases = [
        ("pre -1", "pre(-1)", "pre-1"),
        ("pre (-)", "pre(-)", "pre (-)"),
        ("(pre) - 1", "-(pre,1)", "(pre)-1"),
        ("pre (',')", "pre(',')", "pre (',')"),
        ("(1 both) both (-)", "both(both(1),-)", "(1 both) both (-)"),
        ("1 both both", "both(1,both)", "1 both (both)"),
        ("f(1 both, -)", "f(both(1),-)", "f((1 both),-)"),
    ];
    for (text, expected, writeq) in cases {
        let read = |text: &str| read_goal(text, &ops, &ReadFlags::default()).map(|term| term.tree);
        let tree = read(text).unwrap_or_else(|error| panic!("`{text}`: {error}"));
        assert_eq!(to_string(&tree, tree.root(), &ops, &Style::canonical()), expected, "`{text}`");
        assert_eq!(to_string(&tree, tree.root(), &ops, &Style::writeq()), writeq, "`{text}`");
        let again = read(writeq).unwrap_or_else(|error| panic!("`{writeq}`: {error}"));
        assert_eq!(to_string(&again, again.root(), &ops, &Style::canonical()), expected, "reading `{writeq}` again");
    }
}

#[test]
fn numbers() {
    check("1_000_000", "1000000", "1000000");
    check("0xff + 0o17 + 0b101", "+(+(255,15),5)", "255+15+5");
    check("0x1F_FF", "8191", "8191");
    check("16'ff", "255", "255");
    check("36'Zz", "1295", "1295");
    check("123456789012345678901234567890", "123456789012345678901234567890", "123456789012345678901234567890");
    check("9223372036854775807", "9223372036854775807", "9223372036854775807");
    check("-9223372036854775808", "-9223372036854775808", "-9223372036854775808");
    check("-(9223372036854775808)", "-(9223372036854775808)", "- (9223372036854775808)");
    check("1.0e10", "10000000000.0", "10000000000.0");
    check("1.5E-3", "0.0015", "0.0015");
    check("1.0e100", "1.0e100", "1.0e100");
    check("123456789012345678.0", "1.2345678901234568e17", "1.2345678901234568e17");
    check("1.0e-323", "1.0e-323", "1.0e-323");
    check("-0.0", "-0.0", "-0.0");
    check("1.0Inf", "1.0Inf", "1.0Inf");
    check("-1.0Inf", "-1.0Inf", "-1.0Inf");
    check("00'+'1", "+(0,1)", "0+1");
    check("1..2", "..(1,2)", "1..2");
    check("X..Y", "..(_0,_1)", "_0.._1");
}

#[test]
fn character_codes() {
    check("0'a", "97", "97");
    check("0' ", "32", "32");
    check("0'é", "233", "233");
    check("0'''", "39", "39");
    check("[0'', 0'\\']", "'.'(39,'.'(39,[]))", "[39,39]");
    check("0'\\n", "10", "10");
    check("0'\\x41\\", "65", "65");
    check("0'\\101\\", "65", "65");
    check("-0'a", "-97", "-97");
    check("0'''-1", "-(39,1)", "39-1");
}

#[test]
fn quoted_items() {
    check(r"'a''b'", r"'a\'b'", r"'a\'b'");
    check(r"'\x41\\x61\b'", "'Aab'", "'Aab'");
    check(r"'\x41b'", "'\u{41b}'", "'\u{41b}'");
    check("'a\\\nb'", "ab", "ab");
    check("'\\\r\nb'", "b", "b");
    check(r"'\u00e9\U0001F600'", "'é😀'", "'é😀'");
    check(r#""a""b'c""#, r#""a\"b'c""#, r#""a\"b'c""#);
    check("`ab`", "'.'(97,'.'(98,[]))", "[97,98]");
    check(r"'\a\b\f\v\0\'", r"'\a\b\f\v\x0\'", r"'\a\b\f\v\x0\'");
    check("'hello world'(x)", "'hello world'(x)", "'hello world'(x)");
    check(r"'\\+'(a)", r"\+(a)", r"\+a");
}

#[test]
fn names_beyond_ascii() {
    check("f(é, Éa, Éa, ÷, 中)", "f(é,_0,_0,÷,中)", "f(é,_0,_0,÷,中)");
    check("é1_ß", "é1_ß", "é1_ß");
    check("a\u{a0}= b", "=(a,b)", "a=b");
}

#[test]
fn comments_and_the_end_dot() {
    check("a /* b. */ = % c.\n d", "=(a,d)", "a=d");
    check("/**/a", "a", "a");
    check("'/*'", "'/*'", "'/*'");
    check("a = '.'", "=(a,'.')", "a='.'");
    check("f(a).", "f(a)", "f(a)");
    check("f(a).%", "f(a)", "f(a)");
    check("*/*(x)", "*/*(x)", "*/*(x)");
}

#[test]
fn double_quotes_follow_the_flag() {
    let read = |double_quotes| {
        let term = read_goal("\"ab\"", &OpTable::standard(), &ReadFlags { double_quotes }).expect("it is a term");
        show(&term.tree, &Style::writeq())
    };
    assert_eq!(read(DoubleQuotes::String), "\"ab\"");
    assert_eq!(read(DoubleQuotes::Codes), "[97,98]");
    assert_eq!(read(DoubleQuotes::Chars), "[a,b]");
    assert_eq!(read(DoubleQuotes::Atom), "ab");
}

#[test]
fn styles() {
    let tree = read("f([a, 'B c'|T], \"x\", 3-8, (p:-q,r), '$VAR'(27), {x}, a is 1)").expect("it is a term");
    let spacing = |spacing| show(&tree, &Style { spacing, ..Style::writeq() });
    assert_eq!(show(&tree, &Style::default()), "f([a,B c|_0],x,3-8,(p:-q,r),$VAR(27),{x},a is 1)");
    assert_eq!(spacing(Spacing::Dense), "f([a,'B c'|_0],\"x\",3-8,(p:-q,r),B1,{x},a is 1)");
    assert_eq!(spacing(Spacing::NextArgument), "f([a, 'B c'|_0], \"x\", 3-8, (p:-q, r), B1, {x}, a is 1)");
    assert_eq!(spacing(Spacing::Wide), "f([a, 'B c'|_0], \"x\", 3 - 8, (p :- q, r), B1, {x}, a is 1)");
    let names = [(0, "Tail".to_string())].into_iter().collect();
    assert!(show(&tree, &Style { names: Some(&names), ..Style::writeq() }).contains("|Tail]"));
    let list = read("[a,{b}|T]").expect("it is a term");
    assert_eq!(show(&list, &Style::canonical()), "'.'(a,'.'({}(b),_0))");
    assert_eq!(show(&list, &Style { lists: ListNotation::Dots, ..Style::writeq() }), "'.'(a,'.'({b},_0))");
}

#[test]
fn long_and_deep_terms_are_truncated() {
    let show_cut = |text: &str, max_depth, max_terms| {
        show(&read(text).expect("it is a term"), &Style { max_depth, max_terms, ..Style::writeq() })
    };
    assert_eq!(show_cut("[1,2,3,4,5]", Some(3), None), "[1,2,3|...]");
    assert_eq!(show_cut("f(g(h(i)))", Some(2), None), "f(g(...))");
    assert_eq!(show_cut("1+2+3+4", Some(3), None), "... + ... +3+4");
    assert_eq!(show_cut("f(a,b,c)", None, Some(2)), "f(a,...,...)");
    assert_eq!(show_cut("[a,b,c,d]", None, Some(3)), "[a,b|...]");
}
