//! The attributes of the format.

use crate::trace::{AttributeId, TraceBuilder};

attributes! {
    attribute:
    time "time" in Nanoseconds "time of the event in nanoseconds";
    id "id" "number of the event type";
    class "class" ["user" "system"] "user or system: whether the program or the tracing itself made the event";
    pid "pid" "process of the event, 0 for none";
    tid "tid" "thread of the event, 0 for none";
    addr "addr" "address of the trace point";
    trunc "trunc" [
        "none" "record" "read"
        "POSIX_TRACE_NOT_TRUNCATED" = "none"
        "POSIX_TRACE_TRUNCATED_RECORD" = "record"
        "POSIX_TRACE_TRUNCATED_READ" = "read"
    ] "whether the data were truncated: none, record (when the event was made) or read";
    data "data" "data of the event, in hexadecimal if they are bytes";
    wanted "wanted" "size of the data in bytes before they were truncated";
    filter "filter" "ids of the event types that are filtered out";
    running "running" "whether the stream is running after the event";
    window "window" "innermost window that the event lies in: run1, overflow1, flush1";
    header "header" "first line of the file as a list of Key=Value, at the first event";
    status "status" "status of the trace as a list of Member=Value, at the event that it was read after";
    event_types "event_types" "declared event types as a list of type(Id, Name, Class), at the last event: see event_type/3";
    lost "lost" "how many events were lost, at the last event";
    end "end" "last line of the file as a list of Key=Value, at the last event";
    generation_version "posix_trace_attr_generation_version" "origin and version of the trace system, at starts";
    trace_name "posix_trace_attr_trace_name" "name of the stream, at starts";
    creation_time "posix_trace_attr_creation_time" in Nanoseconds "when the stream was created, in nanoseconds, at starts";
    clock_resolution "posix_trace_attr_clock_resolution" in Nanoseconds "resolution of the clock in nanoseconds, at starts";
    stream_min_size "posix_trace_attr_stream_min_size" "least size of the stream in bytes, at starts";
    stream_full_policy "posix_trace_attr_stream_full_policy" ["POSIX_TRACE_LOOP" "POSIX_TRACE_UNTIL_FULL" "POSIX_TRACE_FLUSH"]
        "what happens when the stream is full: POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL or POSIX_TRACE_FLUSH, at starts";
    max_data_size "posix_trace_attr_max_data_size" "largest size of the data of an event in bytes, at starts";
    inheritance "posix_trace_attr_inheritance" ["POSIX_TRACE_INHERITED" "POSIX_TRACE_CLOSE_FOR_CHILD"]
        "whether children are traced: POSIX_TRACE_INHERITED or POSIX_TRACE_CLOSE_FOR_CHILD, at starts";
    log_max_size "posix_trace_attr_log_max_size" "largest size of the log in bytes, at starts";
    log_full_policy "posix_trace_attr_log_full_policy" ["POSIX_TRACE_LOOP" "POSIX_TRACE_UNTIL_FULL" "POSIX_TRACE_APPEND"]
        "what happens when the log is full: POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL or POSIX_TRACE_APPEND, at starts";
    stream_status "posix_stream_status" ["POSIX_TRACE_RUNNING" "POSIX_TRACE_SUSPENDED"]
        "POSIX_TRACE_RUNNING or POSIX_TRACE_SUSPENDED, where the status is known";
    stream_full_status "posix_stream_full_status" ["POSIX_TRACE_FULL" "POSIX_TRACE_NOT_FULL"]
        "POSIX_TRACE_FULL or POSIX_TRACE_NOT_FULL, where the status is known";
    stream_overrun_status "posix_stream_overrun_status" ["POSIX_TRACE_OVERRUN" "POSIX_TRACE_NO_OVERRUN"]
        "POSIX_TRACE_OVERRUN or POSIX_TRACE_NO_OVERRUN: whether events were lost, where the status is known";
    stream_flush_status "posix_stream_flush_status" ["POSIX_TRACE_FLUSHING" "POSIX_TRACE_NOT_FLUSHING"]
        "POSIX_TRACE_FLUSHING or POSIX_TRACE_NOT_FLUSHING, where the status is known";
    stream_flush_error "posix_stream_flush_error" "first error of a flush, 0 for none, where the status is known";
    log_overrun_status "posix_log_overrun_status" ["POSIX_TRACE_OVERRUN" "POSIX_TRACE_NO_OVERRUN"]
        "POSIX_TRACE_OVERRUN or POSIX_TRACE_NO_OVERRUN: whether the log lost events, where the status is known";
    log_full_status "posix_log_full_status" ["POSIX_TRACE_FULL" "POSIX_TRACE_NOT_FULL"]
        "POSIX_TRACE_FULL or POSIX_TRACE_NOT_FULL, where the status is known";
}

/// Keys of events that are not taken for attributes of the format.
pub(crate) const OWN: &[&str] =
    &["time", "class", "filter", "running", "window", "header", "status", "event_types", "lost", "end", "id", "data"];
