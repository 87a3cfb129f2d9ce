"""Large traces of the kinds that other programs write: each a generator of texts or bytes, the same for the same arguments.

A maker takes a Random and about how many events the trace shall have. The shapes are those of the real writers: batches of
spans of one service in the order of their ends, records of calls where they end, system calls of several processes.
"""
import json, struct

SERVICES = ["edge", "web", "cart", "price", "stock", "mail", "user", "search"]
THINGS = ["item", "order", "user", "basket", "offer", "label"]
KINDS = {"internal": 1, "server": 2, "client": 3}
BATCH = 128
EPOCH = 1_790_000_000 * 10**9


def compact(value):
    return json.dumps(value, separators=(",", ":"))


# Spans.

class Span:
    __slots__ = ("trace", "id", "parent", "service", "name", "kind", "start", "end", "attributes", "error")

    def __init__(self, dice, trace, parent, service, name, kind, start, attributes):
        self.trace, self.id, self.parent = trace, f"{dice.getrandbits(64):016x}", parent.id if parent else None
        self.service, self.name, self.kind, self.start, self.end = service, name, kind, start, start
        self.attributes, self.error = attributes, False


def query(dice, trace, parent, now):
    verb, table = dice.choice(["SELECT", "SELECT", "UPDATE"]), dice.choice(THINGS)
    span = Span(dice, trace, parent, parent.service, f"{verb} {table}", "client", now, [
        ("db.system.name", "postgresql"), ("db.namespace", parent.service), ("db.operation.name", verb),
        ("db.query.text", f"{verb} * FROM {table} WHERE id = $1, n = $2"), ("db.response.returned_rows", dice.randrange(50))])
    span.end = now + dice.randrange(50_000, 900_000)
    return span


def request(dice, trace, parent, now, room, spans):
    """Adds the span of a server and of all that it does; the time at which it ends."""
    service, verb, thing = dice.choice(SERVICES), dice.choice(["GET", "POST", "PUT"]), dice.choice(THINGS)
    span = Span(dice, trace, parent, service, f"{verb} /{thing}s/{{id}}", "server", now, [
        ("http.request.method", verb), ("http.route", f"/{thing}s/{{id}}"), ("url.path", f"/{thing}s/{dice.randrange(10**5)}"),
        ("server.address", f"{service}.internal"), ("server.port", 8080), ("user_agent.original", "made/1.0")])
    now += dice.randrange(20_000, 200_000)
    for _ in range(dice.randrange(6)):
        if room > 0 and dice.random() < 0.25:
            now = request(dice, trace, span, now, room - 1, spans)
        else:
            spans.append(query(dice, trace, span, now))
            now = spans[-1].end
        now += dice.randrange(2_000, 90_000)
    span.error = dice.random() < 0.01
    span.attributes.append(("http.response.status_code", 500 if span.error else 200))
    span.end = now
    spans.append(span)
    return now


def batches(dice, n_spans):
    """Lists of spans of one service, in the order of their ends."""
    pending, now = {service: [] for service in SERVICES}, EPOCH
    while n_spans > 0:
        spans = []
        request(dice, f"{dice.getrandbits(128):032x}", None, now, 6, spans)
        now, n_spans = now + dice.randrange(900_000), n_spans - len(spans)
        for span in spans:
            pending[span.service].append(span)
            if len(pending[span.service]) == BATCH:
                yield pending[span.service]
                pending[span.service] = []
    yield from (batch for batch in pending.values() if batch)


def resource(service):
    return [("service.name", service), ("service.version", "1.4.2"), ("host.name", f"node-{len(service)}")]


def otlp_attributes(pairs):
    return [{"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
            for key, value in pairs]


def otlp_span(span):
    fields = {"traceId": span.trace, "spanId": span.id}
    if span.parent:
        fields["parentSpanId"] = span.parent
    fields.update(flags=257, name=span.name, kind=KINDS[span.kind], startTimeUnixNano=str(span.start),
                  endTimeUnixNano=str(span.end), attributes=otlp_attributes(span.attributes),
                  status={"message": "internal error", "code": 2} if span.error else {})
    return fields


def resource_spans(batch):
    service = batch[0].service
    return {"resource": {"attributes": otlp_attributes(resource(service))},
            "scopeSpans": [{"scope": {"name": f"made/{service}"}, "spans": [otlp_span(span) for span in batch]}]}


def otlp(dice, n_events):
    for batch in batches(dice, n_events // 2):
        yield compact({"resourceSpans": [resource_spans(batch)]}) + "\n"


def otlp_document(dice, n_events):
    separator = '{\n  "resourceSpans": [\n    '
    for batch in batches(dice, n_events // 2):
        yield separator + json.dumps(resource_spans(batch), indent=2).replace("\n", "\n    ")
        separator = ",\n    "
    yield "\n  ]\n}\n"


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def protobuf_attributes(number, pairs):
    return b"".join(field(number, field(1, key.encode()) + field(2, b"\x18" + varint(value) if isinstance(value, int)
                                                                else field(1, value.encode()))) for key, value in pairs)


def protobuf_span(span):
    out = field(1, bytes.fromhex(span.trace)) + field(2, bytes.fromhex(span.id))
    if span.parent:
        out += field(4, bytes.fromhex(span.parent))
    out += field(5, span.name.encode()) + b"\x30" + varint(KINDS[span.kind])
    out += b"\x39" + struct.pack("<Q", span.start) + b"\x41" + struct.pack("<Q", span.end)
    out += protobuf_attributes(9, span.attributes)
    return out + (field(15, field(2, b"internal error") + b"\x18\x02") if span.error else b"")


def otlp_protobuf(dice, n_events):
    for batch in batches(dice, n_events // 2):
        service = batch[0].service
        scope = field(1, field(1, b"made")) + b"".join(field(2, protobuf_span(span)) for span in batch)
        message = field(1, field(1, protobuf_attributes(1, resource(service))) + field(2, scope))
        yield struct.pack(">I", len(message)) + message


def jaeger_tags(pairs):
    return [{"key": key, "type": "int64" if isinstance(value, int) else "string", "value": value} for key, value in pairs]


def jaeger_trace(spans):
    services = sorted({span.service for span in spans})
    return {"traceID": spans[0].trace, "spans": [{
        "traceID": span.trace, "spanID": span.id, "operationName": span.name,
        "references": [{"refType": "CHILD_OF", "traceID": span.trace, "spanID": span.parent}] if span.parent else [],
        "startTime": span.start // 1000, "duration": span.end // 1000 - span.start // 1000,
        "tags": jaeger_tags(span.attributes + [("span.kind", span.kind)]), "logs": [],
        "processID": f"p{services.index(span.service)}", "warnings": None} for span in spans],
        "processes": {f"p{at}": {"serviceName": service, "tags": jaeger_tags(resource(service)[1:])}
                      for at, service in enumerate(services)}, "warnings": None}


def jaeger(dice, n_events):
    traces = {}
    for batch in batches(dice, n_events // 2):
        for span in batch:
            traces.setdefault(span.trace, []).append(span)
    separator = '{"data":['
    for spans in traces.values():
        yield separator + compact(jaeger_trace(spans))
        separator = ","
    yield '],"total":0,"limit":0,"offset":0,"errors":null}'


def zipkin_span(span):
    fields = {"traceId": span.trace, "id": span.id, "name": span.name.lower()}
    if span.parent:
        fields["parentId"] = span.parent
    fields.update(kind=span.kind.upper(), timestamp=span.start // 1000, duration=span.end // 1000 - span.start // 1000,
                  localEndpoint={"serviceName": span.service}, tags={key: str(value) for key, value in span.attributes})
    return fields


def zipkin(dice, n_events):
    separator = "["
    for batch in batches(dice, n_events // 2):
        for span in batch:
            yield separator + compact(zipkin_span(span))
            separator = ","
    yield "]"


# Calls of functions.

FUNCTIONS = ["main", "parse", "order", "price", "take", "render", "commit", "send", "hash"]


def calls(dice, n_calls):
    """(thread, name, start, end) of calls that nest, each where it ends; nanoseconds."""
    stacks, now = [[] for _ in range(4)], 1_000_000
    while n_calls > 0 or any(stacks):
        thread, now = dice.randrange(4), now + dice.randrange(1, 900)
        stack = stacks[thread]
        if n_calls > 0 and len(stack) < 30 and (not stack or dice.random() < 0.5):
            stack.append((dice.choice(FUNCTIONS), now))
            n_calls -= 1
        elif stack:
            name, start = stack.pop()
            yield thread, name, start, now


def microseconds(nanoseconds):
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03}"


def chrome(dice, n_events):
    """As profilers of functions write it: complete events, all on one line."""
    separator = '{"traceEvents": ['
    for at, (thread, name, start, end) in enumerate(calls(dice, n_events // 2)):
        yield (f'{separator}{{"ph": "X", "ts": {microseconds(start)}, "dur": {microseconds(end - start)}, "pid": 7, '
               f'"tid": {thread}, "name": "{name}", "cat": "fee", "args": {{"n": {at}, "item": "item {at % 97}"}}}}')
        separator = ", "
    yield "]}"


# System calls.

def strace(dice, n_events):
    """`strace -f -ttt -T -o`: processes that open, read, write and close; some calls are interrupted by lines of others."""
    now, unfinished = EPOCH // 1000, {}

    def at(pid):
        nonlocal now
        now += dice.randrange(1, 60)
        return f"{pid} {now // 10**6}.{now % 10**6:06}"

    def took():
        return f"<0.{dice.randrange(1, 900):06}>"

    def body(fd):
        kind, size = dice.randrange(8), dice.randrange(1, 4096)
        if kind < 1:
            return "openat", f'AT_FDCWD, "/srv/none{size}", O_RDONLY|O_CLOEXEC', "", "-1 ENOENT (No such file or directory)"
        if kind < 2:
            return "newfstatat", f'{fd}, "", ', f"{{st_mode=S_IFREG|0644, st_size={size}, ...}}, AT_EMPTY_PATH", "0"
        if kind < 6:
            return "read", f"{fd}, ", f'"line {size}\\n\\0\\377 \\"q\\""..., 4096', str(size)
        return "write", f'{fd}, "out {size}\\n", {size}', "", str(size)

    pids = list(range(1000, 1008))
    for _ in range(n_events // 2):
        pid = dice.choice(pids)
        if pid in unfinished:
            name, rest, value = unfinished.pop(pid)
            yield f"{at(pid)} <... {name} resumed>{rest}) = {value} {took()}\n"
        name, begin, rest, value = body(dice.randrange(3, 40))
        if dice.random() < 0.1:
            unfinished[pid] = name, rest, value
            yield f"{at(pid)} {name}({begin} <unfinished ...>\n"
        else:
            yield f"{at(pid)} {name}({begin}{rest}) = {value} {took()}\n"
    for pid, (name, rest, value) in unfinished.items():
        yield f"{at(pid)} <... {name} resumed>{rest}) = {value} {took()}\n"


# Logs of JSON Lines.

def moment(now):
    seconds = now // 10**6
    return f"2026-11-22T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{now % 10**6:06}Z"


def tracing(dice, n_events):
    """Rust's tracing: spans that are entered once, with an event in each."""
    now = 0

    def line(message, span, spans):
        nonlocal now
        now += dice.randrange(1, 200)
        return (f'{{"timestamp":"{moment(now)}","level":"INFO","fields":{{"message":"{message}"}},"target":"shop",'
                f'"span":{span},"spans":[{spans}],"threadName":"main","threadId":"ThreadId(1)"}}\n')

    for at in range(n_events // 10):
        outer = f'{{"id":{at},"item":"fig {at % 97}","name":"{dice.choice(FUNCTIONS)}"}}'
        inner = f'{{"n":{dice.randrange(1000)},"name":"inner_{dice.choice(FUNCTIONS)}"}}'
        both = f"{outer},{inner}"
        yield line("new", outer, "") + line("enter", outer, outer)
        yield line("new", inner, outer) + line("enter", inner, both) + line("priced", inner, both)
        yield line("exit", inner, outer) + line("close", inner, outer)
        yield line("done", outer, outer) + line("exit", outer, "") + line("close", outer, "")


def pino(dice, n_events):
    """Node's pino: requests that overlap."""
    for at in range(n_events // 3):
        head = f'"time":{1_790_000_000_000 + at},"pid":41,"hostname":"app","reqId":"req-{at}","req":{{"method":"GET","url":"/{dice.choice(THINGS)}"}}'
        yield f'{{"level":30,{head},"msg":"incoming request"}}\n'
        yield f'{{"level":30,{head},"item":"fig {at % 97}","count":{dice.randrange(9)},"msg":"priced"}}\n'
        yield f'{{"level":30,{head},"responseTime":{dice.randrange(900) / 10},"msg":"request completed"}}\n'


# Tracers of Prolog systems, model checkers, LTTng.

def search(dice, n_events):
    """(port, number, level, name) of a search that is numbered anew when it is done."""
    while n_events > 0:
        number, stack = 1, [(1, "run")]
        yield "Call", 1, 1, "run"
        while stack:
            n_events -= 1
            chance = dice.random()
            if chance < 0.45 and len(stack) < 25 and n_events > 0:
                number += 1
                stack.append((number, f"p{dice.randrange(9)}"))
                yield "Call", number, len(stack), stack[-1][1]
            else:
                port = "Exit" if chance < 0.9 else "Fail"
                yield port, stack[-1][0], len(stack), stack[-1][1]
                box = stack.pop()
                number = box[0] - 1 if port == "Fail" and stack else number


def prolog_goal(port, number, name):
    return f"{name}({number % 7}, [a, b|_{number + 7}], {'_' + str(number + 100) if port == 'Call' else number % 10})"


def swi(dice, n_events):
    """SWI-Prolog's debugger."""
    for port, number, level, name in search(dice, n_events):
        yield f"   {port}: ({level + 9}) {prolog_goal(port, number, name)}\n"


def gnu_prolog(dice, n_events):
    """GNU Prolog's debugger."""
    for port, number, level, name in search(dice, n_events):
        yield f"   {number:4} {level:4}  {port}: {prolog_goal(port, number, name).replace(', ', ',')}\n"


def itf(dice, n_events):
    """A model checker's run with two variables, in one line."""
    yield '{"#meta":{"format":"ITF"},"vars":["log","balance"],"states":['
    for at in range(n_events):
        ends = "," if at + 1 < n_events else "]}"
        yield (f'{{"#meta":{{"index":{at}}},"balance":{{"#bigint":"{dice.randrange(1000)}"}},'
               f'"log":[{{"tag":"Paid","value":{{"to":"ann","n":{{"#bigint":"{at % 97}"}}}}}}]}}{ends}')


def lttng(dice, n_events):
    """babeltrace2's text: orders in four threads."""
    now, delta = 16 * 3600 * 10**9, "?.?????????"
    for at in range(n_events // 3):
        for name, fields in (("order_entry", f'{{ id = {at}, who = "ann \\"the\\" {at % 97}" }}'), ("item", f"{{ n = {at % 9}, flags = 0xBEEF }}"),
                             ("order_exit", f"{{ id = {at} }}")):
            step = dice.randrange(300, 9000)
            now += step
            delta = delta if at == 0 and name == "order_entry" else f"0.{step:09}"
            seconds = now // 10**9
            yield (f"[{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{now % 10**9:09}] (+{delta}) app shop:{name}: "
                   f'{{ cpu_id = {at % 2} }}, {{ vpid = 3652, vtid = {3653 + at % 4}, procname = "shop" }}, {fields}\n')


MAKERS = {"otlp": otlp, "otlp_document": otlp_document, "otlp_protobuf": otlp_protobuf, "jaeger": jaeger, "zipkin": zipkin,
          "chrome": chrome, "strace": strace, "tracing": tracing, "pino": pino, "swi": swi, "gnu_prolog": gnu_prolog,
          "itf": itf, "lttng": lttng}
