"""Drives Chromium through the pipe of its debugging protocol, and records its tracing."""
import json, os, subprocess, tempfile, time


class Page:
    """A page of 1280 by 800 in a Chromium of its own."""

    def __init__(self, program="chromium"):
        self.folder = tempfile.TemporaryDirectory()
        (commands, self.commands), (self.answers, answers) = os.pipe(), os.pipe()

        def pipes():
            # first out of the way of each other, then to the numbers that Chromium expects
            for number, end in [(13, commands), (14, answers), (3, 13), (4, 14)]:
                os.dup2(end, number)

        # a root of a container may not have the namespaces that the sandbox needs
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe"]
        self.process = subprocess.Popen([program, *options, "about:blank"], preexec_fn=pipes, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands), os.close(answers)
        self.rest, self.last, self.told, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)

    def message(self):
        while b"\0" not in self.rest:
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise SystemExit("Chromium has ended")
            self.rest += part
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") != self.last:
                self.told.append(answer)
            elif "error" in answer:
                raise SystemExit(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def ask(self, expression):
        """What an expression of the page gives."""
        code = f"(async () => JSON.stringify((await ({expression})) ?? null))()"
        result = self.call("Runtime.evaluate", expression=code, awaitPromise=True)["result"]
        return json.loads(result["value"]) if "value" in result else None

    def until(self, expression):
        while self.ask(f"Boolean({expression})") is not True:
            time.sleep(0.02)

    def open(self, address):
        """Opens an address; the milliseconds from the navigation to the frame after the page has drawn its first picture."""
        note = "window.addEventListener('load', () => requestAnimationFrame(() => requestAnimationFrame(() => (window.drawnAt = performance.now()))))"
        self.call("Page.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=note)
        self.call("Page.navigate", url=address)
        self.until("window.papaver?.ready && window.drawnAt")
        return self.ask("window.drawnAt")

    def wheel(self, x, y, delta):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=delta)

    def traced(self, act):
        """The events of the tracing while something is done."""
        self.told.clear()
        self.call("Tracing.start", categories="-*,toplevel,devtools.timeline,disabled-by-default-devtools.timeline", transferMode="ReportEvents")
        act()
        self.call("Tracing.end")
        while not any(one.get("method") == "Tracing.tracingComplete" for one in self.told):
            self.told.append(self.message())
        return [event for one in self.told if one.get("method") == "Tracing.dataCollected" for event in one["params"]["value"]]

    def close(self):
        self.process.terminate()
        self.process.wait()


def frames(events):
    """For each frame of the main thread the milliseconds that passed and those of its processor: the task that runs its callbacks,
    lays out and paints."""
    callbacks = [event for event in events if event["name"] == "FireAnimationFrame"]
    found = []
    tasks = [event for event in events if event["ph"] == "X" and event["name"] == "RunTask" and "tdur" in event]
    for task in tasks:
        end = task["ts"] + task["dur"]
        if any(one["tid"] == task["tid"] and one["pid"] == task["pid"] and task["ts"] <= one["ts"] < end for one in callbacks):
            found.append((task["dur"] / 1000, task["tdur"] / 1000))
    return found
