//! A page of `papaver view` in a real browser, which is driven through its debugging protocol. Without a browser there
//! is no page.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use headless_chrome::browser::default_executable;
use headless_chrome::browser::tab::point::Point;
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Input, Network};
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{papaver, program};

/// The browser, as long as a test uses it: a process of its own, which must end with the last of them.
static BROWSER: Mutex<Weak<Browser>> = Mutex::new(Weak::new());

fn browser() -> Option<Arc<Browser>> {
    let mut shared = BROWSER.lock().unwrap_or_else(|error| error.into_inner());
    if let Some(browser) = shared.upgrade() {
        return Some(browser);
    }
    let Ok(path) = default_executable() else {
        eprintln!("there is no Chromium here: the page is not tested");
        return None;
    };
    // a root of a container may not have the namespaces that the sandbox needs
    let options = LaunchOptions::default_builder()
        .path(Some(path))
        .sandbox(false)
        .idle_browser_timeout(Duration::from_secs(600))
        .build()
        .expect("the options are complete");
    let browser = Arc::new(Browser::new(options).expect("Chromium starts"));
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

/// A page in the browser, and what it did that a page must not do.
pub struct Page {
    pub tab: Arc<Tab>,
    wrong: Arc<Mutex<Vec<String>>>,
    _origin: Origin,
    _browser: Arc<Browser>,
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
        let tab = browser.new_tab().expect("the browser opens a page");
        let wrong = Arc::new(Mutex::new(Vec::new()));
        let page = Self { tab, wrong, _origin: origin, _browser: browser };
        page.watch(address);
        page.screen(1280, 800, false);
        page.tab.set_default_timeout(Duration::from_secs(60));
        page.tab.navigate_to(address).expect("the page opens");
        let is_ready = page.wait(|page| {
            // while the page before this one is left, nobody answers
            let answer = page.tab.evaluate("Boolean(window.papaver?.ready)", false);
            answer.is_ok_and(|answer| answer.value == Some(json!(true)))
        });
        assert!(is_ready, "the page does not start: {:?}", page.wrong);
        page
    }

    /// Collects what the page asks others for than where it comes from, and what its console says.
    fn watch(&self, own: &str) {
        self.tab.enable_log().and_then(|tab| tab.enable_runtime()).expect("the browser tells what happens");
        let enable = Network::Enable {
            max_total_buffer_size: None,
            max_resource_buffer_size: None,
            max_post_data_size: None,
            report_direct_socket_traffic: None,
            enable_durable_messages: None,
        };
        self.tab.call_method(enable).expect("the browser tells what is asked for");
        let (wrong, own) = (Arc::clone(&self.wrong), own.to_string());
        let listener = move |event: &Event| {
            let what = match event {
                Event::NetworkRequestWillBeSent(event) if !event.params.request.url.starts_with(&own) => {
                    format!("asks for {}", event.params.request.url)
                }
                Event::RuntimeExceptionThrown(event) => format!("throws {:?}", event.params.exception_details),
                Event::LogEntryAdded(event) => format!("logs {}", event.params.entry.text),
                _ => return,
            };
            wrong.lock().expect("no listener panics").push(what);
        };
        self.tab.add_event_listener(Arc::new(listener)).expect("the browser tells what happens");
    }

    pub fn screen(&self, width: u32, height: u32, mobile: bool) {
        let metrics = Emulation::SetDeviceMetricsOverride {
            width,
            height,
            device_scale_factor: 1.0,
            mobile,
            scale: None,
            screen_width: None,
            screen_height: None,
            position_x: None,
            position_y: None,
            dont_set_visible_size: None,
            screen_orientation: None,
            viewport: None,
            display_feature: None,
            device_posture: None,
        };
        self.tab.call_method(metrics).expect("the browser changes its size");
    }

    /// What an expression of the page gives.
    pub fn ask(&self, expression: &str) -> Value {
        let code = format!("(async () => JSON.stringify((await ({expression})) ?? null))()");
        let answer = self.tab.evaluate(&code, true).expect("the page answers");
        match answer.value {
            Some(Value::String(text)) => serde_json::from_str(&text).expect("it is JSON"),
            other => panic!("`{expression}` gives {other:?} {:?}", answer.description),
        }
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
        for key in keys {
            self.tab.press_key(key).expect("a key can be pressed");
        }
    }

    fn click(&self, x: f64, y: f64) {
        self.tab.click_point(Point { x, y }).expect("the page can be clicked");
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
        let wheel = Input::DispatchMouseEvent {
            Type: Input::DispatchMouseEventTypeOption::MouseWheel,
            x,
            y,
            delta_x: Some(0.0),
            delta_y: Some(delta),
            modifiers: None,
            timestamp: None,
            button: None,
            buttons: None,
            click_count: None,
            force: None,
            tangential_pressure: None,
            tilt_x: None,
            tilt_y: None,
            twist: None,
            pointer_Type: None,
        };
        self.tab.call_method(wheel).expect("the wheel turns");
    }

    /// Presses Shift and drags from one point to another.
    pub fn drag_with_shift(&self, from: (f64, f64), to: (f64, f64)) {
        let between = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        for (kind, (x, y)) in
            [("mousePressed", from), ("mouseMoved", between), ("mouseMoved", to), ("mouseReleased", to)]
        {
            let event = json!({ "type": kind, "x": x, "y": y, "modifiers": 8, "button": "left", "buttons": 1, "clickCount": 1 });
            let event: Input::DispatchMouseEvent = serde_json::from_value(event).expect("an event needs no more");
            self.tab.call_method(event).expect("the page can be dragged on");
        }
    }

    /// Fingers at these places go down, move or go up (with none).
    pub fn touch(&self, kind: Input::DispatchTouchEventTypeOption, fingers: &[(f64, f64)]) {
        let point = |(id, (x, y)): (usize, &(f64, f64))| {
            serde_json::from_value(json!({ "x": x, "y": y, "id": id })).expect("a point needs no more")
        };
        let touch_points = fingers.iter().enumerate().map(point).collect();
        let touch = Input::DispatchTouchEvent { Type: kind, touch_points, modifiers: None, timestamp: None };
        self.tab.call_method(touch).expect("the page can be touched");
    }

    /// The system asks for `dark` or `light` colours.
    pub fn colours(&self, scheme: &str) {
        let feature = Emulation::MediaFeature { name: "prefers-color-scheme".to_string(), value: scheme.to_string() };
        let media = Emulation::SetEmulatedMedia { media: None, features: Some(vec![feature]) };
        self.tab.call_method(media).expect("the browser changes its colours");
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
        let wrong = self.wrong.lock().expect("no listener panics");
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // the browser may be gone already
        let _closed = self.tab.close(false);
    }
}

fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}
