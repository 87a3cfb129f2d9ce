//! A shop that records itself: `shop` serves two clients whose futures take turns, `shop fib N` makes nothing but spans.

#[path = "../../../src/recorders/tracing_layer.rs"]
mod papaver_layer;

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use tracing::{info, info_span, instrument, warn};
use tracing_subscriber::prelude::*;

fn main() -> std::io::Result<()> {
    let (layer, _recording) = papaver_layer::PapaverLayer::from_env()?;
    tracing_subscriber::registry().with(layer).init();
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[1..] {
        ["fib", n] => measure(n.parse().unwrap_or(20)),
        ["panic"] => panic!("{}", info_span!("doomed", why = "asked").in_scope(|| "asked to")),
        _ => serve(),
    }
    Ok(())
}

/// Two clients on one thread, and a delivery on another that follows from the first.
fn serve() {
    let day = info_span!("day", sold = tracing::field::Empty);
    let _open = day.enter();
    let (ann, bob) = together(pin!(client("ann", 2)), pin!(client("bob", 3)));
    day.record("sold", ann + bob);
    let delivery = info_span!("delivery", to = "ann");
    delivery.follows_from(&day);
    let driver = std::thread::Builder::new().name("driver".to_string());
    let driven = driver.spawn(move || delivery.in_scope(|| info!(boxes = 2, "delivered")));
    if let Ok(thread) = driven {
        let _ = thread.join();
    }
}

/// Buys so often; returns what was paid.
#[instrument(ret)]
async fn client(name: &str, n: u64) -> u64 {
    let mut paid = 0;
    for id in 0..n {
        paid += order(id, n).await;
        pause().await;
    }
    info!(paid, ok = true, "done");
    paid
}

#[instrument]
async fn order(id: u64, items: u64) -> u64 {
    pause().await;
    let prices = (0..items).map(|item| price(item + id));
    let total = prices.filter_map(Result::ok).sum();
    if total > 5 {
        warn!(total, share = total as f64 / 8.0, "large order");
    }
    total
}

/// What an item costs; there is no fifth one.
#[instrument(err)]
fn price(item: u64) -> Result<u64, String> {
    if item < 4 { Ok(item + 1) } else { Err(format!("no item \"{item}\"")) }
}

/// Lets the other future run.
async fn pause() {
    let mut has_waited = false;
    poll_fn(|_| if std::mem::replace(&mut has_waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Polls two futures in turn until both are ready.
fn together<A, B>(mut one: Pin<&mut impl Future<Output = A>>, mut other: Pin<&mut impl Future<Output = B>>) -> (A, B) {
    let mut context = Context::from_waker(Waker::noop());
    let (mut first, mut second) = (None, None);
    loop {
        if first.is_none()
            && let Poll::Ready(value) = one.as_mut().poll(&mut context)
        {
            first = Some(value);
        }
        if second.is_none()
            && let Poll::Ready(value) = other.as_mut().poll(&mut context)
        {
            second = Some(value);
        }
        match (first.take(), second.take()) {
            (Some(first), Some(second)) => return (first, second),
            open => (first, second) = open,
        }
    }
}

/// Says what a span costs: 2 F(n + 1) - 1 of them, each with two events.
fn measure(n: u64) {
    let begun = Instant::now();
    let value = fib(n);
    println!("fib({n}) = {value} in {} us", begun.elapsed().as_micros());
}

fn fib(n: u64) -> u64 {
    info_span!("fib", n).in_scope(|| if n < 2 { n } else { fib(n - 1) + fib(n - 2) })
}
