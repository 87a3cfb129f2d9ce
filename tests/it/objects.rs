//! Objects of JSON are one term in every format, and `'arg.KEY'` reaches into those among arguments.

use crate::support::{data, file, kept_file, papaver, stderr, stdout};

/// The same call with the same object among its arguments, as four formats write it; its call is event 1.
const OBJECT: &str = r#"{"path":"/etc/app.conf","n":-3,"tags":["a b",1.5,null],"deep":{"k":{},"L\n":true}}"#;

fn traces() -> [(&'static str, String); 4] {
    let otlp_value = |text: &str| format!(r#"{{"stringValue":"{text}"}}"#);
    let tags = format!(r#"{{"arrayValue":{{"values":[{},{{"doubleValue":1.5}},{{}}]}}}}"#, otlp_value("a b"));
    let deep = r#"{"kvlistValue":{"values":[{"key":"k","value":{"kvlistValue":{}}},{"key":"L\n","value":{"boolValue":true}}]}}"#;
    let members = format!(
        r#"{{"key":"path","value":{}}},{{"key":"n","value":{{"intValue":"-3"}}}},{{"key":"tags","value":{tags}}},{{"key":"deep","value":{deep}}}"#,
        otlp_value("/etc/app.conf")
    );
    let span = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"write","startTimeUnixNano":"1","endTimeUnixNano":"9","attributes":[{{"key":"input","value":{{"kvlistValue":{{"values":[{members}]}}}}}}]}}]}}]}}]}}"#
    );
    [
        ("t.jsonl", format!("{{\"port\":\"call\",\"call\":1,\"name\":\"write\",\"args\":[{OBJECT}]}}\n")),
        (
            "agent.jsonl",
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"write\",\"input\":{OBJECT}}}]}}}}\n"
            ),
        ),
        (
            "page.json",
            format!(
                "[{{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"write\",\"args\":{{\"data\":{OBJECT}}}}}]\n"
            ),
        ),
        ("spans.json", span),
    ]
}

const TERM: &str =
    r#"json([path="/etc/app.conf", n= -3, tags=["a b", 1.5, null], deep=json([k=json([]), 'L\n'=true])])"#;

#[test]
fn an_object_is_the_same_term_in_every_format_and_after_conversion() {
    for (name, text) in traces() {
        let (folder, path) = file(name, &text);
        let own = match name {
            "spans.json" => "input=V",
            _ => "args=[V|_]",
        };
        let goal = format!("event([port=call, name=write, {own}])");
        let answer = |path: &std::path::Path| stdout(papaver().args(["query", "-q", &goal]).arg(path), 0);
        assert_eq!(answer(&path), format!("V = {TERM}\n"), "{name}");
        for to in ["again.jsonl", "again.papaver"] {
            let converted = folder.path().join(to);
            papaver().arg("convert").arg(&path).arg("-o").arg(&converted).assert().success();
            assert_eq!(answer(&converted), format!("V = {TERM}\n"), "{name} as {to}");
        }
    }
}

#[test]
fn a_pattern_of_some_keys_fits_an_object_that_has_more() {
    for (name, text) in traces() {
        let path = kept_file(name, &text);
        let own = |form: &str| match name {
            "spans.json" => format!("input={form}"),
            _ => format!("args=[{form}|_]"),
        };
        for (form, answer) in [
            ("{path:P}", "P = \"/etc/app.conf\"\n"),
            ("{\"n\":N, deep:{k:K}}", "N = -3, K = json([])\n"),
            ("{tags:[_|T]}", "T = [1.5, null]\n"),
            ("json([path=P|_])", "P = \"/etc/app.conf\"\n"),
        ] {
            let goal = format!("event([port=call, name=write, {}])", own(form));
            assert_eq!(stdout(papaver().args(["query", "-q", &goal]).arg(&path), 0), answer, "{name}: {form}");
        }
        for form in ["{path:\"/etc\"}", "{pth:_}", "{n:_, m:_}", "{path}"] {
            let goal = format!("event([port=call, name=write, {}])", own(form));
            assert_eq!(stdout(papaver().args(["query", "-q", &goal]).arg(&path), 1), "", "{name}: {form}");
        }
    }
}

#[test]
fn a_key_of_an_argument_is_asked_for_as_an_attribute_is() {
    for (name, text) in traces() {
        let path = kept_file(name, &text);
        for (constraint, n_found) in [
            ("'arg.path' = matches(\"^/etc/\")", 1),
            ("'arg.path' = matches(\"^.$\")", 0),
            ("'arg.path' = [a, '/etc/app.conf']", 1),
            ("'arg.path' = not('/etc/app.conf')", 0),
            ("'arg.n' < 0", 1),
            ("'arg.n' = -5.. -1", 1),
            ("'arg.n' \\= -3", 0),
            ("'arg.tags.1' = 1.5", 1),
            ("'arg.deep.L\\n' = true", 1),
            ("'arg.deep.M' = -", 0),
        ] {
            let goal = format!("event([port=call, {constraint}])");
            let counted = stdout(papaver().args(["query", "--count", &goal]).arg(&path), i32::from(n_found == 0));
            assert_eq!(counted, format!("{n_found}\n"), "{name}: {constraint}");
        }
        let goal = "event([port=call, 'arg.tags.0'=T]), attribute(C, 'arg.n', N), current(['arg.path'=P])";
        let goal = format!("fget([port=call]), {goal}");
        let answer = stdout(papaver().args(["query", "-q", &goal, "--first"]).arg(&path), 0);
        assert!(answer.contains("T = \"a b\"") && answer.contains("N = -3, P = \"/etc/app.conf\""), "{name}: {answer}");
    }
}

/// Arguments are asked for by their names, and structures, maps and objects of classes by their keys, as objects of JSON are.
#[test]
fn names_and_keys_of_arguments_are_paths_in_every_format() {
    let inputs = std::fs::read_to_string(data("otlp/agent_books.jsonl")).unwrap();
    let nested = r#"{\"title\":\"dune\",\"opts\":{\"urgent\":true,\"n\":[1,2]}}"#;
    for (name, text, questions) in [
        ("agent.jsonl", inputs.replace(r#"{\"title\":\"dune\"}"#, nested), &[
            ("'arg.opts.urgent'=V", "V = true"),
            ("'arg.opts.n.1'=V", "V = 2"),
            ("'arg.opts'={n:[_|V]}", "V = [2]"),
        ][..]),
        ("page.json", r#"[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"get","args":{"url":"/a","o":{"k":[0]}}}]"#.into(), &[
            ("'arg.url'=V", "V = \"/a\""),
            ("'arg.o.k.0'=V", "V = 0"),
            ("'arg.k.0'=V", "V = 0"),
        ]),
        ("t.strace", "1 10:00:00.000001 connect(3, {sa_family=AF_INET, sin_port=htons(443)}, 16) = 0 <0.000010>\n".into(), &[
            ("'arg.sa_family'=V", "V = 'AF_INET'"),
            ("arg(2)={sin_port:htons(V)}", "V = 443"),
            ("arg(2)=A, 'arg.sin_port'=_]), value(A, sin_port, V), event([", "V = htons(443)"),
        ]),
        ("t.jsonl", "{\"papaver\":1,\"args\":\"terms\"}\n{\"port\":\"call\",\"name\":\"f\",\"call\":1,\"arg_names\":[\"self\",\"how\"],\"args\":[\"'A'([n=5,next='B'([n=4]),o={\\\"k\\\":{\\\"l\\\":[7]}}])\",\"map([fast-yes])\"]}\n".into(), &[
            ("'arg.self.next.n'=V", "V = 4"),
            ("'arg.self.o.k.l.0'=V", "V = 7"),
            ("arg(1)={o:{k:{l:[V]}}}", "V = 7"),
            ("arg(1)=A]), value(A, o, V), event([", "V = json([k=json([l=[7]])])"),
            ("'arg.how.fast'=V", "V = yes"),
            ("args=[{next:{n:V}}, {fast:yes}]", "V = 4"),
        ]),
    ] {
        let path = kept_file(name, &text);
        for (constraint, answer) in questions {
            let goal = format!("event([port=call, {constraint}])");
            let found = stdout(papaver().args(["query", "-q", &goal, "--first"]).arg(&path), 0);
            assert!(found.contains(answer), "{name}: {constraint}: {found}");
        }
    }
}

#[test]
fn keys_and_words_inside_of_objects_that_no_event_has_are_told() {
    let lines = r#"{"port":"call","call":1,"name":"read","args":[{"file_path":"/etc/app","limit":"120"}]}
{"port":"exit","call":1,"name":"read","args":[{"bytes":9}],"result":{"code":500,"error":"Boom"}}
{"port":"call","call":2,"name":"list","args":[{"path":"/tmp","deep":{"user_id":7}}],"tags":["card","3ds"]}
{"port":"fail","call":2,"name":"list","meta":{"geo":{"country":"KP"}},"process":"p"}
{"port":"call","call":3,"name":"sum","args":[1,2]}
"#;
    let (_folder, path) = file("t.jsonl", lines);
    for (constraints, told) in [
        ("'arg.file_pth'=matches(\"^/etc/\")", "no event has `arg.file_pth` (did you mean `arg.file_path`?)"),
        ("'arg.deep.id'=7", "no event has `arg.deep.id` (did you mean `arg.deep.user_id`?)"),
        ("'arg.lmt'=1", "no event has `arg.lmt` (did you mean `arg.limit`?)"),
        ("name=read, 'arg.path'=matches(\"etc\")", "`name = read, arg.path` (did you mean `arg.file_path`?)"),
        (
            "name=read, port=exit, 'arg.limit'=1",
            "no event of `port = exit` has `arg.limit`, but events of `port = call`",
        ),
        ("port=fail, name=list, args=[_|_]", "no event has both `port = fail` and `args`"),
        ("'arg.limit' > 100", "event 1 has `arg.limit = \"120\"`, a text, which no comparison with a number finds"),
        ("result={cod:500}", "no event has `result.cod` (did you mean `result.code`?)"),
        ("result={error:boom}", "no event has `result.error = boom` (did you mean `'Boom'`?)"),
        ("meta={contry:'KP'}", ""),
        ("meta={geo:{home_country:'KP'}}", "no event has `meta.geo.home_country` (did you mean `meta.geo.country`?)"),
        ("meta={geo:{country:kp}}", "no event has `meta.geo.country = kp` (did you mean `'KP'`?)"),
        ("tags='3ds'", "no event has `tags = '3ds'`, but one has `[\"card\",\"3ds\"]`"),
        ("name=sum, args=[1]", "event 5 has 2 arguments, which a list of 1 does not find (`[_|_]` has any others)"),
        ("name=sum, args=[2]", ""),
        ("name=sum, arg(2)=[1, 2]", "event 5 has `arg(2) = 2`, an element of a list, which is one value here"),
        ("name=sum, arg(2)=[3, 4]", ""),
        ("name=sum, args=[1, 2, 3]", ""),
        ("name=read, 'arg.offset'=1", ""),
        ("'arg.limit' > 200", ""),
        ("'arg.file_path'=\"/etc/passwd\"", ""),
        ("result={message:boom}", ""),
        ("result={error:timeout}", ""),
        ("tags=gold", ""),
        ("meta={geo:{country:'DE'}}", ""),
    ] {
        let script = kept_file("c.pl", &format!("check(c) :- never([{constraints}]).\n"));
        let printed = stdout(papaver().arg("check").arg(&script).arg(&path), 0);
        match told {
            "" => assert!(!printed.contains("warning"), "{constraints}: {printed}"),
            told => assert!(printed.contains(told), "{constraints}: {printed}"),
        }
    }
}

#[test]
fn a_regular_expression_sees_the_characters_of_an_argument() {
    let lines = "{\"port\":\"call\",\"call\":1,\"name\":\"open\",\"args\":[\"/etc/app\",\"it's\\n\",7]}\n";
    let path = kept_file("t.jsonl", lines);
    for (constraint, n_found) in [
        ("arg(1)=matches(\"^/etc/\")", 1),
        ("arg(1)=matches(\"app$\")", 1),
        ("arg(1)=matches(\"^.?.?\\\"\")", 0),
        ("arg(2)=matches(\"^it's\\n$\")", 1),
        ("arg(3)=matches(\"^7$\")", 1),
        ("args=[matches(\"^/etc/\")|_]", 1),
        ("args=[_, _, 5..9]", 1),
        ("args=[_, matches(\"^/etc/\"), _]", 0),
    ] {
        let goal = format!("event([{constraint}])");
        let counted = stdout(papaver().args(["query", "--count", &goal]).arg(&path), i32::from(n_found == 0));
        assert_eq!(counted, format!("{n_found}\n"), "{constraint}");
    }
    let refused = stderr(papaver().args(["query", "event([args \\= [matches(\"a\")|_]])"]).arg(&path), 2);
    assert!(refused.contains("arg(1) \\= matches(..)"), "{refused}");
    let script = "check(a) :- \\+ event([args=[{a:1}]]).\ncheck(b) :- never([args=[{a:matches(\"^/etc/\")}]]).\n";
    let told = stdout(papaver().arg("check").arg(kept_file("two.pl", script)).arg(&path), 2);
    assert!(told.contains("error    b"), "a plan of a list of the same shape is known: {told}");
    for list in [
        "arg(1)={a:not(1)}",
        "args=[{command:matches(\"^rm\")}|_]",
        "arg(1)={a:X, b:{c:1..2}}",
        "'arg.a'={b:matches(\"c\")}",
    ] {
        let refused = stderr(papaver().args(["query", &format!("event([{list}])")]).arg(&path), 2);
        assert!(refused.contains("`'arg.KEY' = matches(..)`"), "{list}: {refused}");
    }
    let script = kept_file("c.pl", "check(c) :- never([args=[{a:matches(\"x\")}|_]]).\n");
    let warned = stderr(papaver().args(["check", "--no-vacuous"]).arg(&script).arg(&path), 2);
    assert!(warned.contains("'arg.KEY' = matches(..)"), "{warned}");
}

/// `matches` searches numbers as they are written, what is left of a text that strace cut, and the path of a descriptor.
#[test]
fn a_regular_expression_sees_numbers_and_what_terms_of_strace_are_about() {
    let lines = |values: [&str; 3]| -> String {
        values.map(|value| format!("{{\"port\":\"event\",\"name\":\"get\",\"code\":{value}}}\n")).concat()
    };
    let (whole, mixed) =
        (kept_file("t.jsonl", &lines(["500", "200", "-503"])), kept_file("m.jsonl", &lines(["500", "2.5", "\"5x\""])));
    let call = "7 10:00:00.000001 write(3</etc/app.conf>, \"-----BEGIN RSA PRIVATE\"..., 4000) = 4000 <0.000010>\n";
    let strace = kept_file("t.strace", call);
    for (path, constraint, n_found) in [
        (&whole, "code=matches(\"^5..$\")", 1),
        (&whole, "code=matches(\"0\")", 3),
        (&whole, "code=not(matches(\"^5\"))", 2),
        (&whole, "code=matches(\"^9\")", 0),
        (&mixed, "code=matches(\"^5\")", 2),
        (&mixed, "code=matches(\"^2[.]5$\")", 1),
        (&strace, "port=call, arg(1)=matches(\"^/etc/\")", 1),
        (&strace, "port=call, arg(2)=matches(\"^-----BEGIN\")", 1),
        (&strace, "port=call, args=[matches(\"conf$\")|_]", 1),
    ] {
        let goal = format!("event([{constraint}])");
        let counted = stdout(papaver().args(["query", "--count", &goal]).arg(path), i32::from(n_found == 0));
        assert_eq!(counted, format!("{n_found}\n"), "{constraint}");
    }
}

#[test]
fn what_is_no_object_has_no_values_inside() {
    let lines = "{\"port\":\"call\",\"call\":1,\"name\":\"f\",\"args\":[true]}\n\
                 {\"port\":\"call\",\"call\":2,\"name\":\"g\",\"args\":[{\"to\":\"/y\"}]}\n";
    let path = kept_file("t.jsonl", lines);
    let found = stdout(papaver().args(["query", "event([args=[A]]), value(A, to, V)"]).arg(&path), 0);
    assert!(found.contains("V = \"/y\""), "{found}");
}
