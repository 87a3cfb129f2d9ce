//! The page of `papaver view` in a real browser: what it draws, and what it does when it is clicked, typed at and
//! zoomed. Without a browser these tests say so, and pass.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::Page;
use crate::support::{file, papaver, stderr};

const QUEENS: &str = "examples/queens/queens.trace";

#[test]
fn a_trace_is_drawn_with_all_its_events() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    assert_eq!(page.view(), (0.0, 698.0));
    let sum = |of: &str| page.number(&format!("papaver.boxes().filter({of}).reduce((sum, box) => sum + box.count, 0)"));
    // 146 calls are entered, 95 of them again; 57 disj, 52 else, 95 switch and 12 then have no box
    assert_eq!(sum("(box) => !(box.flags & 8)"), 241.0);
    assert_eq!(sum("(box) => box.flags & 8"), 216.0);
    let queen = page.ask("papaver.boxes().find((box) => box.label.includes('queen'))");
    assert_eq!((&queen["first"], &queen["last"]), (&json!(4), &json!(673)));
    page.is_clean();
}

#[test]
fn the_wheel_zooms_at_the_pointer_and_keys_fit_and_go_back() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    let pointed = "(() => { const { from, to } = papaver.view(); \
                   return from + (to - from) * 400 / document.querySelector('#stage').clientWidth; })()";
    let before = page.number(pointed);
    page.wheel(400.0, 200.0, -400.0);
    page.until("papaver.view().to - papaver.view().from < 690");
    assert!((page.number(pointed) - before).abs() < 0.01, "{before}");
    let (from, to) = page.view();
    page.click_on("#tabs [aria-selected=true]");
    page.keys(&["d"]);
    page.until(&format!("papaver.view().from > {from}"));
    page.keys(&["w"]);
    page.until(&format!("papaver.view().to - papaver.view().from < {}", (to - from) * 0.9));
    // views in quick succession count as one
    page.ask("new Promise((done) => setTimeout(done, 800))");
    page.keys(&["f"]);
    page.until("papaver.view().from === 0 && papaver.view().to === 698");
    page.keys(&["b"]);
    page.until("papaver.view().to < 698");
    page.is_clean();
}

#[test]
fn what_a_page_must_not_do_is_seen() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    page.is_clean();
    page.ask("(setTimeout(() => { throw new Error('thrown') }), new Promise((done) => setTimeout(done)))");
    page.ask("fetch('http://127.0.0.1:1/').catch(() => null)");
    let wrong = page.wrong();
    assert!(wrong.iter().any(|what| what.starts_with("throws") && what.contains("Error: thrown")), "{wrong:#?}");
    assert!(wrong.iter().any(|what| what.contains("127.0.0.1")), "{wrong:#?}");
}

#[test]
fn at_no_zoom_a_lane_has_two_boxes_in_one_pixel() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    for (from, to) in [(0, 698), (100, 400), (300, 340)] {
        page.ask(&format!("(papaver.setView({from}, {to}), papaver.draw())"));
        let twice = page.number(
            "papaver.boxes().filter((box, i, all) => all.some((other, k) => k < i && other.row === box.row && \
             other.lane === box.lane && Math.floor(other.x) === Math.floor(box.x) && Math.max(box.w, other.w) < 1)).length",
        );
        assert_eq!(twice, 0.0, "from {from} to {to}");
    }
    page.is_clean();
}

#[test]
fn a_click_shows_the_event_and_a_click_on_its_stack_the_ancestor() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    page.click_box("queen");
    assert!(page.selected(4).ends_with("3 [2] call queen([1, 2, 3, 4, 5], -) []  16 "), "{}", page.selected(4));
    let panel = page.text("document.querySelector('#event').textContent");
    assert!(panel.contains("call queen([1, 2, 3, 4, 5], -)"), "{panel}");
    page.keys(&["u"]);
    assert!(page.selected(1).contains("call main("));
    page.is_clean();
}

#[test]
fn search_finds_names_arguments_and_numbers() {
    let Some(page) = Page::served(&[QUEENS]) else { return };
    let search = |text: &str| {
        page.ask("(document.querySelector('#query').value = '', null)");
        page.click_on("#query");
        page.types(text);
        page.keys(&["Enter"]);
    };
    search("safe");
    page.selected(38);
    page.keys(&["Enter"]);
    page.selected(39);
    search("673");
    page.selected(673);
    search("no such thing");
    page.until("document.querySelector('#status').textContent.includes('is not found')");
    page.is_clean();
}

#[test]
fn a_violated_check_opens_on_its_witness() {
    let Some(page) = Page::of(&["--check", "examples/queens/rules.pl", QUEENS]) else { return };
    let summary = page.text("document.querySelector('#summary').textContent");
    assert!(summary.contains("✗ 1 violated") && summary.contains("✓ 2 holds"), "{summary}");
    let open = page.text("document.querySelector('.verdict[open]').textContent");
    assert!(open.contains("qdelete never looks into an empty list") && open.contains("List = []"), "{open}");
    assert!(open.contains("List \\== []"), "the rule is shown: {open}");
    page.click_on(".verdict[open] tbody tr");
    assert!(page.selected(54).contains("call qdelete(-, [], -)"));
    let panel = page.text("document.querySelector('#event').textContent");
    assert!(panel.contains("Arguments") && panel.contains("Stack") && panel.contains("27: 13 [8] call"), "{panel}");
    let (from, to) = page.view();
    assert!(from <= 53.0 && 53.0 <= to && to - from < 100.0, "{from} to {to}");
    page.is_clean();
}

#[test]
fn answers_of_a_goal_are_gone_through() {
    let goal = "event([name = safe, port = fail, depth = 3, chrono = C])";
    let Some(page) = Page::of(&["-g", goal, QUEENS]) else { return };
    assert_eq!(page.number("document.querySelectorAll('.layer tbody tr').length"), 10.0);
    page.keys(&["n"]);
    page.selected(44);
    page.keys(&["n"]);
    page.selected(83);
    page.keys(&["p", "p"]);
    page.selected(542);
    page.is_clean();
}

#[test]
fn the_help_lists_the_keys_and_closes() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    page.keys(&["?"]);
    page.until("document.querySelector('#help').open");
    assert!(page.text("document.querySelector('#help').textContent").contains("fit the whole trace"));
    page.keys(&["Escape"]);
    page.until("!document.querySelector('#help').open");
    page.is_clean();
}

#[test]
fn what_is_drawn_is_also_a_list_for_screen_readers() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    page.until("document.querySelectorAll('#described li').length > 20");
    let list = page.text("document.querySelector('#described').textContent");
    assert!(list.contains("queen") && list.contains("events 4 to 673"), "{list}");
    assert!(page.number("document.querySelectorAll('#described li').length") <= 200.0);
    page.is_clean();
}

#[test]
fn a_phone_gets_one_column() {
    let Some(page) = Page::of(&["--check", "examples/queens/rules.pl", QUEENS]) else { return };
    page.screen(390, 844, true);
    page.until("innerWidth === 390 && document.querySelector('#stage').clientWidth === 390");
    assert_eq!(page.number("document.documentElement.scrollWidth"), 390.0);
    page.until("papaver.boxes().length > 50");
    page.is_clean();
}

#[test]
fn every_tab_of_every_kind_of_trace_shows_something() {
    let traces = [
        "examples/philosophers/philos_deadlock.trc",
        "examples/spans/depot.jsonl",
        "examples/chrome/shop.json",
        "examples/parallel/ciao_qsort_3agents.ev",
        "examples/strace/restart.strace",
        "examples/erlang/bank.jsonl",
    ];
    for trace in traces {
        let Some(page) = Page::of(&[trace]) else { return };
        assert!(page.number("papaver.boxes().length") > 3.0, "{trace}");
        let tabs = page.number("document.querySelectorAll('[role=tab]').length");
        for tab in 0..tabs as usize {
            page.ask(&format!("(document.querySelector('#tab{tab}').click(), null)"));
            let length = page.number("document.querySelector('#panel').textContent.length");
            assert!(length > 10.0, "{trace}: tab {tab} is empty");
        }
        if page.ask("document.querySelector('#axis').options.length") == json!(2) {
            page.ask("papaver.setAxis('time')");
            page.until("papaver.view().axis === 'time' && papaver.boxes().length > 0");
        }
        page.is_clean();
    }
}

#[test]
fn a_comparison_opens_at_the_first_difference() {
    let changed = "tests/data/compare/queens_dropped.trace";
    let Some(page) = Page::of(&["--compare", QUEENS, changed]) else { return };
    assert!(page.selected(54).contains("call qdelete(-, [], -)"));
    let tab = page.text("document.querySelector('[role=tab][aria-selected=true]').textContent");
    assert!(tab.starts_with("side by side"), "{tab}");
    page.is_clean();
    let error = stderr(papaver().args(["view", "--compare", QUEENS, "--no-open"]), 2);
    assert!(error.contains("expected two traces to compare"), "{error}");
}

/// How well a colour of the page is seen on its background: the ratio of contrast that WCAG 2.2 defines.
const CONTRAST: &str = "((name) => {
    const style = getComputedStyle(document.documentElement);
    const light = (name) => {
        const hex = style.getPropertyValue(name).trim();
        const part = (at) => parseInt(hex.slice(at, at + 2), 16) / 255;
        const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5)) + 0.05;
    };
    const [one, other] = [light(name), light('--back')];
    return Math.max(one, other) / Math.min(one, other);
})";

#[test]
fn the_page_is_readable_in_dark_and_light_colours() {
    let Some(page) = Page::of(&["--check", "examples/queens/rules.pl", QUEENS]) else { return };
    // of a copy: the browser warns of a picture that is read more than once
    let corner = "((copy) => (copy.drawImage(document.querySelector('#canvas'), -2, -2), copy.getImageData(0, 0, 1, 1).data[0]))\
                  (new OffscreenCanvas(1, 1).getContext('2d'))";
    for (scheme, background, is_light) in [("dark", "rgb(20, 23, 27)", false), ("light", "rgb(255, 255, 255)", true)] {
        page.colours(scheme);
        page.until(&format!("getComputedStyle(document.body).backgroundColor === '{background}'"));
        for name in ["--text", "--dim", "--bad", "--good", "--odd", "--accent"] {
            let contrast = page.number(&format!("{CONTRAST}('{name}')"));
            assert!(contrast >= 4.5, "{scheme}: {name} has {contrast}");
        }
        page.until(&format!("(papaver.draw(), {corner} > 127) === {is_light}"));
    }
    page.is_clean();
}

#[test]
fn fingers_pan_zoom_and_select() {
    let Some(page) = Page::of(&[QUEENS]) else { return };
    page.screen(390, 844, true);
    page.until("document.querySelector('#stage').clientWidth === 390 && papaver.boxes().length > 50");
    let stage = page.ask("(({ x, y }) => [x, y])(document.querySelector('#stage').getBoundingClientRect())");
    let (left, top) = (stage[0].as_f64().unwrap_or_default(), stage[1].as_f64().unwrap_or_default());
    let at = |x: f64| (left + x, top + 60.0);
    page.touch("touchStart", &[at(180.0), at(220.0)]);
    for step in 1..=8 {
        let by = f64::from(step) * 10.0;
        page.touch("touchMove", &[at(180.0 - by), at(220.0 + by)]);
    }
    page.touch("touchEnd", &[]);
    page.until("papaver.view().to - papaver.view().from < 400");
    let (from, to) = page.view();
    page.touch("touchStart", &[at(220.0)]);
    for step in 1..=5 {
        page.touch("touchMove", &[at(220.0 - 20.0 * f64::from(step))]);
    }
    page.touch("touchEnd", &[]);
    page.until(&format!("papaver.view().from > {}", from + 10.0));
    let (panned, end) = page.view();
    assert!(((end - panned) - (to - from)).abs() < 1e-6, "panning does not zoom");
    assert_eq!(page.ask("papaver.selected()"), Value::Null);
    let centre = page
        .ask("(({ x, y, w, h }) => [x + w / 2, y + h / 2])(papaver.boxes().find((box) => box.w > 40 && box.x > 0))");
    let finger = (left + centre[0].as_f64().unwrap_or_default(), top + centre[1].as_f64().unwrap_or_default());
    page.touch("touchStart", &[finger]);
    page.touch("touchEnd", &[]);
    page.until("papaver.selected()?.number > 0");
    page.is_clean();
}

#[test]
fn the_tab_key_reaches_every_part_and_the_arrows_go_through_the_tabs() {
    let Some(page) = Page::of(&["--check", "examples/queens/rules.pl", QUEENS]) else { return };
    let mut reached = Vec::new();
    for _ in 0..60 {
        page.keys(&["Tab"]);
        let at = page.text("document.activeElement.id || document.activeElement.getAttribute('role') || document.activeElement.tagName");
        if reached.contains(&at) && at == "query" {
            break;
        }
        reached.push(at);
    }
    for part in ["query", "previous", "next", "stage", "splitter", "tab0", "panel", "event"] {
        assert!(reached.iter().any(|at| at == part), "{part} is not in {reached:?}");
    }
    let place = |part: &str| reached.iter().position(|at| at == part);
    assert!(place("query") < place("stage") && place("stage") < place("tab0") && place("tab0") < place("panel"));
    page.ask("(document.querySelector('#tab0').focus(), null)");
    page.keys(&["ArrowRight"]);
    page.until("document.activeElement.id === 'tab1' && document.querySelector('#tab1').ariaSelected === 'true'");
    page.keys(&["?"]);
    page.until("document.querySelector('#help').open");
    page.keys(&["Escape"]);
    page.until("!document.querySelector('#help').open");
    page.is_clean();
}

#[test]
fn a_goal_that_runs_can_be_stopped() {
    let Some(page) = Page::served(&[QUEENS]) else { return };
    page.until("document.querySelector('.ask input')");
    page.click_on(".ask input");
    page.types("repeat, fail");
    page.keys(&["Enter"]);
    page.until("[...document.querySelectorAll('.ask button')].some((button) => button.textContent === 'stop' && !button.disabled)");
    // the timeline answers meanwhile
    page.ask("(papaver.select(44), null)");
    assert!(page.selected(44).contains("fail safe([1, 2, 3, 4, 5])"));
    page.click_on(".ask button:last-child");
    page.until("document.querySelector('.layer .error')?.textContent.includes('interrupt')");
    page.is_clean();
}

/// Opens the tab whose title begins so.
fn open_tab(page: &Page, title: &str) {
    let tab =
        format!("[...document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent.startsWith('{title}'))");
    page.ask(&format!("({tab}.click(), null)"));
}

#[test]
fn the_graph_of_waits_is_that_of_the_selected_event() {
    let trace = "examples/philosophers/philos_deadlock.trc";
    for page in [Page::of(&[trace]), Page::served(&[trace])] {
        let Some(page) = page else { return };
        let panel = "document.querySelector('#panel').textContent";
        open_tab(&page, "waits");
        page.until(&format!("{panel}.includes('When the trace ends: a deadlock, ')"));
        // the first who asks for its second fork waits for its neighbour, who has not asked yet
        page.ask("(papaver.select(34), null)");
        page.until("document.querySelector('#panel figure').ariaLabel === 'waits at event 34'");
        let text = page.text(panel);
        assert!(text.contains("no deadlock") && !text.contains("'94624D0'"), "{text}");
        let edges = page.ask("[...document.querySelectorAll('#panel svg text')].map((text) => text.textContent)");
        assert!(edges.as_array().unwrap().contains(&json!("on(s('9463888',1))")), "{edges}");
        let rows = page.ask("[...document.querySelectorAll('#panel tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
        let waiting = json!(["34", "p('9462528',1)", "on(s('9463888',1))", "p('94623C8',1)", "the end"]);
        let boss = json!(["33", "p('9462580',1)", "on(s('9463914',1))", "", "the end"]);
        assert!([&waiting, &boss].iter().all(|row| rows.as_array().unwrap().contains(row)), "{rows}");
        assert_eq!(rows.as_array().unwrap().len(), 2);
        // the last one closes the circle
        page.ask("(papaver.select(38), null)");
        page.until(&format!("{panel}.includes('At event 38: a deadlock, ')"));
        page.ask("(papaver.select(20), null)");
        page.until(&format!("{panel}.includes('Nobody is blocked at event 20.')"));
        page.is_clean();
    }
}

/// Two processes that take one semaphore in turn, so that each waits for the other, N times.
fn many_waits(n: usize) -> (TempDir, PathBuf) {
    let mut lines = String::from("m.mpd, 1 m.b BODY A 0\nm.mpd, 2 m.b CREATES A F\nm.mpd, 2 m.b INITS A 1\n");
    lines += "m.mpd, 3 m.b SEND A 0\nm.mpd, 3 m.b SEND A 0\nm.mpd, 3 m.p PROC B A\nm.mpd, 3 m.p PROC C A\n";
    lines += "m.mpd, 4 m.p P B F\nm.mpd, 4 m.p CONTP B F\n";
    for turn in 0..n {
        let (holder, other) = if turn % 2 == 0 { ("B", "C") } else { ("C", "B") };
        writeln!(lines, "m.mpd, 4 m.p P {other} F\nm.mpd, 5 m.p V {holder} F\nm.mpd, 4 m.p CONTP {other} F")
            .expect("a string takes text");
    }
    file("many.trc", &lines)
}

#[test]
fn of_many_waits_a_server_tells_those_of_any_event_and_a_file_says_what_it_lacks() {
    let (_folder, path) = many_waits(2500);
    let path = path.to_string_lossy();
    let panel = "document.querySelector('#panel').textContent";
    // each turn has three events after the first nine; it begins with the P of the one who waits
    let (early, late) = (10 + 3 * 7, 10 + 3 * 2400);
    let select = |page: &Page, number: usize| {
        open_tab(page, "waits");
        page.ask(&format!("(papaver.select({number}), null)"));
        page.until(&format!("document.querySelector('#panel figure')?.ariaLabel?.startsWith('waits') && papaver.selected()?.number === {number}"));
    };
    let Some(page) = Page::served(&[&path]) else { return };
    for (number, waiting, holder) in [(early, "B", "C"), (late, "C", "B")] {
        select(&page, number);
        page.until(&format!("document.querySelector('#panel figure').ariaLabel === 'waits at event {number}'"));
        let row = format!("{number}p('{waiting}',1)on(s('F',1))p('{holder}',1){}", number + 2);
        page.until(&format!("document.querySelector('#panel tbody tr')?.textContent === {row:?}"));
    }
    page.is_clean();
    let page = Page::of(&[&path]).expect("there is a browser");
    select(&page, late);
    page.until(&format!("{panel}.includes('This file holds the waits up to event ')"));
    page.is_clean();
}

#[test]
fn the_sequence_is_that_of_the_range_selected_on_the_timeline() {
    let trace = "tests/data/seq_trace/relay.raw";
    for page in [Page::of(&[trace]), Page::served(&[trace])] {
        let Some(page) = page else { return };
        assert_eq!(page.ask("papaver.view().axis"), json!("time"), "a trace with times opens on them");
        page.keys(&["t"]);
        open_tab(&page, "sequence");
        let messages = "document.querySelectorAll('#panel figure .goes').length";
        page.until(&format!("{messages} === 18"));
        // an event in two pixels or more, so that a drag hits the events that it is meant to
        let at = |event: f64| {
            let x = format!(
                "(() => {{ const stage = document.querySelector('#stage').getBoundingClientRect(); \
                 const {{ x, w }} = papaver.scale(); return [stage.x + x + {event} * w, stage.y + 60]; }})()"
            );
            let point = page.ask(&x);
            (point[0].as_f64().unwrap_or_default(), point[1].as_f64().unwrap_or_default())
        };
        // the sends 3, 5 and 7 with their receives 4, 6 and 8
        page.drag_with_shift(at(2.3), at(7.6));
        page.until(&format!("{messages} === 3"));
        assert_eq!(page.ask("papaver.range()"), json!({ "trace": 0, "axis": "number", "from": 2, "to": 8 }));
        let rows = page.ask("[...document.querySelectorAll('#panel tbody tr')].map((row) => [row.cells[0].textContent, row.cells[4].textContent])");
        assert_eq!(rows, json!([["3", "4"], ["5", "6"], ["7", "8"]]));
        let panel = page.text("document.querySelector('#event').textContent");
        assert!(panel.contains("Range") && panel.contains("event([chrono = 3..8])"), "{panel}");
        assert_eq!(page.view(), (0.0, 36.0), "the view does not move");
        // a message with one end in the range belongs to it
        page.drag_with_shift(at(1.2), at(2.8));
        page.until("document.querySelector('#panel figure').ariaLabel.includes('events 2 to 3, 2 events')");
        page.until(&format!("{messages} === 2"));
        page.keys(&["Escape"]);
        page.until(&format!("{messages} === 18"));
        page.keys(&["r"]);
        page.until("papaver.range()?.to === 36");
        page.is_clean();
    }
}

#[test]
fn the_longest_boxes_and_the_first_failures_are_a_click_away() {
    let panel = "document.querySelector('#event').textContent";
    let click = |page: &Page, list: &str, nth: usize| {
        let lists = "[...document.querySelectorAll('#event details')]";
        page.ask(&format!("({lists}.find((list) => list.textContent.startsWith('{list}')).querySelectorAll('button')[{nth}].click(), null)"));
    };
    let Some(page) = Page::of(&["examples/spans/depot.jsonl"]) else { return };
    // the greatest duration of a call, and the first of the calls with the status `error` to end
    page.until(&format!("{panel}.includes('Longest boxes, one a lane76.98 ms 1: 1 [1] call')"));
    click(&page, "Longest boxes, one a lane", 0);
    page.selected(1);
    page.keys(&["Escape"]);
    click(&page, "First failures", 0);
    page.until("papaver.selected()?.number > 0");
    let attributes = page.text(panel);
    assert!(attributes.contains("statuserror") || attributes.contains("exception"), "{attributes}");
    let Some(page) = Page::served(&[QUEENS]) else { return };
    // the first board is not safe: 43 and 44 are its first failures
    click(&page, "First failures", 1);
    assert!(page.selected(44).contains("fail safe([1, 2, 3, 4, 5])"));
    page.keys(&["Escape"]);
    page.until(&format!("{panel}.includes('Longest boxes, one a lane698 events 1: 1 [1] call main(')"));
    page.is_clean();
}

/// Names that would run, reorder or overflow, if a page believed them.
fn hostile_trace() -> (TempDir, PathBuf) {
    let names = [
        "<script>window.hacked = 1</script>".to_string(),
        "</script><img src=x onerror='window.hacked = 2'>".to_string(),
        "<!--<script>".to_string(),
        "\u{202e}drowssap\u{2066}".to_string(),
        "long".repeat(1_000),
        "{{data}}".to_string(),
    ];
    let mut lines = String::new();
    for (index, name) in names.iter().enumerate() {
        let (call, first) = (index + 1, 2 * index + 1);
        for (number, port) in [(first, "call"), (first + 1, "exit")] {
            let event = json!({"chrono": number, "call": call, "depth": 1, "port": port, "name": name, "args": [name]});
            writeln!(lines, "{event}").expect("a string takes text");
        }
    }
    file("hostile.jsonl", &lines)
}

#[test]
fn hostile_names_stay_text() {
    let (_folder, path) = hostile_trace();
    let goal = "event([port = call, name = N])";
    let Some(page) = Page::of(&["-g", goal, &path.to_string_lossy()]) else { return };
    assert_eq!(page.number("papaver.boxes().length"), 6.0);
    for number in 1..=12 {
        page.ask(&format!("papaver.select({number})"));
    }
    for tab in 0..page.number("document.querySelectorAll('[role=tab]').length") as usize {
        page.ask(&format!("(document.querySelector('#tab{tab}').click(), null)"));
    }
    page.ask("papaver.select(7)");
    let panel = page.text("document.querySelector('#event').textContent");
    assert!(panel.contains("\\u202e") && !panel.contains('\u{202e}'), "{panel}");
    assert_eq!(page.ask("window.hacked"), Value::Null);
    assert_eq!(page.number("document.querySelectorAll('img, #panel script, #event script').length"), 0.0);
    assert_eq!(page.number("document.scripts.length"), 2.0);
    page.is_clean();
}

#[test]
fn a_served_page_answers_goals_and_shows_every_event() {
    let Some(page) = Page::served(&[QUEENS]) else { return };
    page.until("papaver.boxes().reduce((sum, box) => sum + box.count, 0) === 457");
    page.ask("(papaver.select(44), null)");
    assert!(page.selected(44).contains("fail safe([1, 2, 3, 4, 5])"));
    let ask = |goal: &str| {
        page.ask("(document.querySelector('.ask input').value = '', null)");
        page.click_on(".ask input");
        page.types(goal);
        page.keys(&["Enter"]);
    };
    ask("event([name = queen, chrono = C])");
    page.until("document.querySelectorAll('.layer tbody tr').length === 2");
    page.click_on(".layer tbody tr");
    page.selected(4);
    ask("evnt([name = queen])");
    page.until("document.querySelector('.layer .error')?.textContent.includes('did you mean `event/1`?')");
    page.click_on("#query");
    page.types("nodiag");
    page.keys(&["Enter"]);
    page.selected(40);
    page.is_clean();
}

/// A trace of the chrome format with this many boxes on eight threads.
fn many_boxes(n: usize) -> (TempDir, PathBuf) {
    let mut lines = String::from("[\n");
    for index in 0..n {
        let (thread, turn) = (index % 8, index / 8);
        let comma = if index + 1 == n { "]" } else { "," };
        let length = 1 + (index * 7919) % 9;
        writeln!(
            lines,
            r#"{{"name":"p{}","ph":"X","ts":{},"dur":{length},"pid":1,"tid":{thread}}}{comma}"#,
            index % 97,
            turn * 10
        )
        .expect("a string takes text");
    }
    file("many.json", &lines)
}

#[test]
fn many_boxes_are_all_there_and_zoom_smoothly() {
    let (_folder, path) = many_boxes(200_000);
    let Some(page) = Page::of(&[&path.to_string_lossy()]) else { return };
    page.ask("papaver.setAxis('time')");
    page.until("papaver.view().axis === 'time' && papaver.boxes().length > 0");
    assert_eq!(page.number("papaver.boxes().reduce((sum, box) => sum + box.count, 0)"), 200_000.0);
    for _ in 0..20 {
        page.wheel(500.0, 200.0, -200.0);
    }
    page.until("papaver.view().to - papaver.view().from < 1e6");
    // on a machine that does other things too, only the fastest frames say what the page needs
    let frame =
        page.number("papaver.frames().sort((one, other) => one - other)[Math.floor(papaver.frames().length / 4)]");
    assert!(frame < 16.0, "{frame} ms");
    page.is_clean();
}
