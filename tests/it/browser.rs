//! A page of `papaver view` in a real browser. Without a browser there is no page. How the browser is spoken to lives
//! in `devtools.rs`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::devtools::{Browser, Tab};
use crate::support::{papaver, program};

/// The browser, as long as a test uses it: a process of its own, which must end with the last of them.
static BROWSER: Mutex<Weak<Browser>> = Mutex::new(Weak::new());

fn browser() -> Option<Arc<Browser>> {
    let mut shared = BROWSER.lock().unwrap_or_else(|error| error.into_inner());
    if let Some(browser) = shared.upgrade() {
        return Some(browser);
    }
    let Some(program) = Browser::find() else {
        eprintln!("there is no Chromium here: the page is not tested");
        return None;
    };
    let browser = Arc::new(Browser::start(&program).expect("Chromium starts"));
    *shared = Arc::downgrade(&browser);
    Some(browser)
}

/// Where a page comes from: a file in a folder, or a server that runs as long as the page is open.
struct Origin {
    _folder: Option<TempDir>,
    server: Option<Child>,
}

impl Drop for Origin {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            // it may have ended by itself, which its page has told
            let _ended = server.kill().and_then(|()| server.wait());
        }
    }
}

/// The keys with a name that the tests press: each with its number on a keyboard, and what it types.
const KEYS: &[(&str, u32, &str)] = &[("ArrowRight", 39, ""), ("Enter", 13, "\r"), ("Escape", 27, ""), ("Tab", 9, "")];

/// A page in the browser.
pub struct Page {
    tab: Tab,
    address: String,
    _origin: Origin,
}

impl Page {
    /// Makes a report of `papaver view` and opens it on a screen of 1280 by 800; `None` without a browser.
    pub fn of(arguments: &[&str]) -> Option<Self> {
        let browser = browser()?;
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let report = folder.path().join("report.html");
        papaver().arg("view").args(arguments).arg("-o").arg(&report).assert().success();
        Some(Self::open(browser, &address(&report), Origin { _folder: Some(folder), server: None }))
    }

    /// Starts `papaver view` as a server, and opens its page; `None` without a browser.
    pub fn served(arguments: &[&str]) -> Option<Self> {
        let browser = browser()?;
        let mut command = program();
        let mut server = command
            .args(["view", "--no-open"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(server.stdout.take().expect("its output is read")).lines();
        let origin = Origin { _folder: None, server: Some(server) };
        let line = lines.next().expect("it prints its address").expect("it prints UTF-8");
        let address = line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address").to_string();
        Some(Self::open(browser, &address, origin))
    }

    fn open(browser: Arc<Browser>, address: &str, origin: Origin) -> Self {
        let tab = Tab::open(browser).expect("the browser opens a page");
        let page = Self { tab, address: address.to_string(), _origin: origin };
        for events in ["Log", "Runtime", "Network"] {
            page.call(&format!("{events}.enable"), json!({}));
        }
        page.screen(1280, 800, false);
        let opened = page.call("Page.navigate", json!({ "url": address }));
        assert_eq!(opened["errorText"], Value::Null, "the page does not open");
        let is_ready = page.wait(|page| {
            // while the page before this one is left, nobody answers
            let answer = page.evaluate("Boolean(window.papaver?.ready)");
            answer.is_ok_and(|answer| answer["result"]["value"] == json!(true))
        });
        assert!(is_ready, "the page does not start: {:?}", page.wrong());
        page
    }

    fn call(&self, method: &str, params: Value) -> Value {
        self.tab.call(method, params).expect("the browser does what it is asked")
    }

    /// What the browser tells of an expression: its value, which is waited for, or what it throws.
    fn evaluate(&self, expression: &str) -> Result<Value, String> {
        self.tab.call("Runtime.evaluate", json!({ "expression": expression, "awaitPromise": true }))
    }

    /// What the page has done since this was asked before, and must not do: asked others for something than where it
    /// comes from, thrown an error, or been warned by the browser.
    pub fn wrong(&self) -> Vec<String> {
        let wrong = |event: Value| {
            let params = &event["params"];
            let (url, text) = (&params["request"]["url"], &params["entry"]["text"]);
            match event["method"].as_str()? {
                "Network.requestWillBeSent" if url.as_str()?.starts_with(&self.address) => None,
                "Network.requestWillBeSent" => Some(format!("asks for {url}")),
                "Runtime.exceptionThrown" => Some(format!("throws {}", params["exceptionDetails"])),
                "Log.entryAdded" => Some(format!("logs {text}")),
                _ => None,
            }
        };
        self.tab.events().filter_map(wrong).collect()
    }

    pub fn screen(&self, width: u32, height: u32, mobile: bool) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// What an expression of the page gives.
    pub fn ask(&self, expression: &str) -> Value {
        let code = format!("(async () => JSON.stringify((await ({expression})) ?? null))()");
        let answer = self.evaluate(&code).expect("the page answers");
        let text = answer["result"]["value"].as_str().unwrap_or_else(|| panic!("`{expression}` gives {answer}"));
        serde_json::from_str(text).expect("it is JSON")
    }

    pub fn number(&self, expression: &str) -> f64 {
        self.ask(expression).as_f64().unwrap_or_else(|| panic!("`{expression}` is no number"))
    }

    pub fn text(&self, expression: &str) -> String {
        self.ask(expression).as_str().unwrap_or_else(|| panic!("`{expression}` is no text")).to_string()
    }

    /// Waits until an expression of the page is true.
    pub fn until(&self, expression: &str) {
        let question = format!("Boolean({expression})");
        assert!(self.wait(|page| page.ask(&question) == json!(true)), "`{expression}` does not become true");
    }

    /// Whether something becomes true within a minute.
    fn wait(&self, is_true: impl Fn(&Self) -> bool) -> bool {
        let end = Instant::now() + Duration::from_secs(60);
        while !is_true(self) {
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }

    pub fn keys(&self, keys: &[&str]) {
        keys.iter().for_each(|key| self.press(key));
    }

    pub fn types(&self, text: &str) {
        text.chars().for_each(|key| self.press(key.encode_utf8(&mut [0; 4])));
    }

    /// Presses a key with a name, or the one that types this character.
    fn press(&self, key: &str) {
        let named = KEYS.iter().find(|(name, ..)| *name == key);
        let (_, number, text) = named.copied().unwrap_or_else(|| (key, number(key), key));
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        for kind in [down, "keyUp"] {
            let event = json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": number });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    fn click(&self, x: f64, y: f64) {
        self.mouse(json!({ "type": "mouseMoved", "x": x, "y": y }));
        for kind in ["mousePressed", "mouseReleased"] {
            self.mouse(json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 }));
        }
    }

    fn mouse(&self, event: Value) {
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Clicks in the middle of the first element that a selector finds.
    pub fn click_on(&self, selector: &str) {
        self.until(&format!("document.querySelector({selector:?})"));
        let centre = self.ask(&format!(
            "(() => {{ const node = document.querySelector({selector:?}); node.scrollIntoView({{ block: 'center' }}); \
             const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        self.click(centre[0].as_f64().unwrap_or_default(), centre[1].as_f64().unwrap_or_default());
    }

    /// Clicks on the first box with a name on the timeline.
    pub fn click_box(&self, name: &str) {
        let centre = self.ask(&format!(
            "(() => {{ const box = papaver.boxes().find((box) => box.label.includes({name:?})); \
             const stage = document.querySelector('#stage').getBoundingClientRect(); \
             return [stage.x + box.x + box.w / 2, stage.y + box.y + box.h / 2]; }})()"
        ));
        self.click(centre[0].as_f64().unwrap_or_default(), centre[1].as_f64().unwrap_or_default());
    }

    pub fn wheel(&self, x: f64, y: f64, delta: f64) {
        self.mouse(json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta }));
    }

    /// Presses Shift and drags from one point to another.
    pub fn drag_with_shift(&self, from: (f64, f64), to: (f64, f64)) {
        let between = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        for (kind, (x, y)) in
            [("mousePressed", from), ("mouseMoved", between), ("mouseMoved", to), ("mouseReleased", to)]
        {
            let (shift, left) = (8, 1);
            let place = json!({ "type": kind, "x": x, "y": y, "modifiers": shift, "buttons": left,
                                "button": "left", "clickCount": 1 });
            self.mouse(place);
        }
    }

    /// Fingers at these places go down (`touchStart`), move (`touchMove`) or go up (`touchEnd`, with none).
    pub fn touch(&self, kind: &str, fingers: &[(f64, f64)]) {
        let points = fingers.iter().enumerate().map(|(id, (x, y))| json!({ "x": x, "y": y, "id": id }));
        let touch = json!({ "type": kind, "touchPoints": points.collect::<Vec<_>>() });
        self.call("Input.dispatchTouchEvent", touch);
    }

    /// The system asks for `dark` or `light` colours.
    pub fn colours(&self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Waits for an event to be selected, and gives its line.
    pub fn selected(&self, number: u64) -> String {
        self.until(&format!("papaver.selected()?.number === {number} && papaver.selected().line"));
        self.text("papaver.selected().line")
    }

    /// The part of the axis that is seen.
    pub fn view(&self) -> (f64, f64) {
        let view = self.ask("papaver.view()");
        (view["from"].as_f64().unwrap_or_default(), view["to"].as_f64().unwrap_or_default())
    }

    /// Ends a test: the page has asked nobody for anything, and its console is silent.
    pub fn is_clean(&self) {
        let wrong = self.wrong();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// The number on a keyboard of a letter or a digit; that of a sign depends on the keyboard, and nobody asks for it.
fn number(key: &str) -> u32 {
    let mut characters = key.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) if one.is_ascii_alphanumeric() => one.to_ascii_uppercase().into(),
        (Some(_), None) => 0,
        _ => panic!("no key is named `{key}`"),
    }
}

fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}
