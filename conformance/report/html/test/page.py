#!/usr/bin/env python3
"""Tests the page in a real browser: it renders without errors, and its filters, keys and folds work and its
texts appear, on a wide and a narrow screen, light and dark.

usage: page.py WRITE_PAGE [SCREENSHOTS]

WRITE_PAGE writes the page of sample.c.  With SCREENSHOTS, the name of a folder, writes pictures of the
page there.  Exits with 77 if Chromium is not installed.  Chromium is controlled through a pair of pipes
(--remote-debugging-pipe): DevTools protocol messages in JSON, each ended by a zero byte.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HOSTILE = r"</script><b>bold</b><!-- <img src=x onerror=alert(1)> & \u003c ]]>"
failures = []


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, program, folder):
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        ends = {3: to_read, 4: back_write}

        def connect():
            for end in ends.values():  # descriptors 3 and 4 are needed below
                os.set_inheritable(end, True)
            copies = {wanted: os.dup(end) for wanted, end in ends.items()}
            high = {wanted: os.dup2(copy, 50 + wanted) for wanted, copy in copies.items()}
            for wanted, copy in high.items():
                os.dup2(copy, wanted)

        words = [program, "--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "about:blank"]
        if os.geteuid() == 0:
            words.insert(1, "--no-sandbox")  # Chromium's sandbox does not support root
        self.process = subprocess.Popen(words, preexec_fn=connect, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        self.rest, self.number, self.session, self.errors, self.loaded = b"", 0, None, [], 0

    def open(self):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                sys.exit("page.py: the browser ended")
            self.rest += more
        line, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(line)
        kind, told = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.errors.append(told["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif kind == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        elif kind == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(str(told["args"]))
        elif kind == "Page.loadEventFired":
            self.loaded += 1
        return message

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"page.py: {method}: {answer['error']}")
                return answer["result"]

    def visit(self, address):
        wanted = self.loaded + 1
        self.ask("Page.navigate", url=address)
        while self.loaded < wanted:
            self.receive()

    def run(self, script):
        """The value of an expression, after its effects have been drawn."""
        waits = "await new Promise(done => setTimeout(done, 60));"
        text = f"(async () => {{ const value = await (async () => {{ {script} }})(); {waits} return value; }})()"
        answer = self.ask("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            failures.append(f"{script}: {answer['exceptionDetails']['exception']['description']}")
            return None
        return answer["result"].get("value")

    def key(self, name, text=""):
        code = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowRight": 39, "/": 191}.get(name, 0)
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code,
                     **({"text": text} if text and kind == "keyDown" else {}))
        self.run("return 0")

    def screen(self, width, height, dark):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, file):
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        pathlib.Path(file).write_bytes(base64.b64decode(shot["data"]))

    def end(self):
        self.process.kill()
        self.process.wait()


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found!r}, expected {wanted!r}")


SHOWN = "return [...document.querySelectorAll('#matrix tbody tr[data-path]:not([hidden])')].map(row => row.dataset.path)"
SET = ("const field = document.getElementById('{0}'); field.value = '{1}';"
       "field.dispatchEvent(new Event('input', {{ bubbles: true }}));")


def filter_shows(browser, settings, wanted):
    """The rows shown with only these filters."""
    browser.run("document.querySelector('#filters button').click()")
    for name, value in settings.items():
        browser.run(SET.format(name, value))
    expect(f"shown with {settings}", browser.run(SHOWN), wanted)


def overview(browser):
    expect("the answer", browser.run("return document.getElementById('answer').textContent"),
           "2 unexpected: 2 as expected, 1 skipped for 1 reason, 1 on subjects that are not installed, 12 s")
    expect("when, where and how", [word for word in ("2026-01-31 12:00:00 UTC", "on node-1 and node-2", "assay run linking --on sim") if word not in
                                   browser.run("return document.querySelector('header').innerText")], [])
    expect("what is unexpected", browser.run(
        "return [...document.querySelectorAll('#unexpected tbody tr')].map(row => row.cells[0].innerText + ' ' + row.cells[1].innerText)"),
        ["FAIL linking/a.yaml", "INVALID linking/wrong.yaml"])
    expect("it leads to the verdict", browser.run("return document.querySelector('#unexpected a').getAttribute('href')"),
           "#scenario=linking%2Fa.yaml&on=pocl")
    every = ["fusion/b.yaml", "linking/a.yaml", "linking/wrong.yaml"]
    expect("all rows", browser.run(SHOWN), every)
    expect("headings with a scope", browser.run("return document.querySelectorAll('#matrix th:not([scope])').length"), 0)
    expect("cells of a row", browser.run(
        "return [...document.querySelectorAll('#matrix tbody tr[data-path]')[0].cells].slice(1).map(cell => cell.innerText)"),
        ["PASS 1/3", "SKIP", ""])
    expect("an invalid scenario", browser.run(
        "return [...document.querySelectorAll('#matrix tbody tr[data-path]')[2].cells].slice(1).map(cell => cell.innerText)"),
        ["INVALID"] * 3)
    expect("markup that is text", browser.run("return document.querySelectorAll('b, img, i, u').length"), 0)
    expect("the summary", browser.run("return document.querySelectorAll('#matrix tr[data-path] small')[0].textContent"), f"Says {HOSTILE}")
    filter_shows(browser, {"verdict": "FAIL"}, every[1:2])
    filter_shows(browser, {"verdict": "not as expected"}, every[1:])
    filter_shows(browser, {"verdict": "FAIL", "subject": "sim"}, [])
    headings = "return [...document.querySelectorAll('#matrix thead th:not([hidden])')].map(cell => cell.innerText)"
    filter_shows(browser, {}, every)
    expect("columns of what is installed", browser.run(headings), ["scenario", "sim", "pocl"])
    filter_shows(browser, {"subject": "nowhere"}, every[1:])
    expect("the column that the filter asks for", browser.run(headings), ["scenario", "nowhere"])
    filter_shows(browser, {"feature": "fusion"}, every[:1])
    filter_shows(browser, {"text": "says BOLD"}, every[1:2])
    filter_shows(browser, {"text": "step2:memory"}, every[1:2])
    filter_shows(browser, {"text": "nothing has this"}, [])
    filter_shows(browser, {"rule": "dl-link-01"}, every[1:2])
    filter_shows(browser, {"rule": "DL-*"}, every[1:2])
    filter_shows(browser, {"rule": "DL-LINK"}, every[1:2])
    filter_shows(browser, {"rule": "DL-LINK-0"}, [])
    filter_shows(browser, {}, every)
    fold = "document.querySelectorAll('#matrix .folder button')[1].click(); " + SHOWN
    expect("folders", browser.run("return [...document.querySelectorAll('#matrix .folder')].map(row => row.innerText.trim())"),
           ["fusion/ 1 scenario", "linking/ 2 scenarios, 2 unexpected"])
    expect("a folded folder", browser.run(fold), every[:1])
    expect("an unfolded folder", browser.run(fold), every)
    expect("how many are shown", browser.run("return document.getElementById('shown').textContent"), "3 of 3 scenarios")


FOCUS = "return document.activeElement.getAttribute('aria-label') || document.activeElement.id"


def keys(browser):
    browser.key("/", "/")
    expect("focus behind /", browser.run(FOCUS), "text")
    expect("what / wrote", browser.run("return document.getElementById('text').value"), "")
    browser.run("document.querySelector('#matrix button[tabindex=\"0\"]').focus()")
    browser.key("ArrowDown")
    browser.key("ArrowRight")
    expect("focus after arrows", browser.run(FOCUS), "FAIL, linking/a.yaml on pocl")
    expect("cells that Tab reaches", browser.run("return document.querySelectorAll('#matrix button[tabindex=\"0\"]').length"), 1)
    browser.key("Enter", "\r")
    expect("opened", browser.run("return document.querySelector('#detail h2')?.textContent"), "FAIL linking/a.yaml on pocl")
    expect("the overview", browser.run("return document.getElementById('overview').hidden"), True)


def detail(browser):
    expect("the marked line", browser.run("return [...document.querySelectorAll('#detail mark')].map(mark => mark.textContent)"),
           ["    expect: {memory: data, equals: [1]}"])
    expect("message", browser.run("return document.querySelector('.message').textContent"),
           "a byte that is not UTF-8: \uFFFD")
    expect("expected and got", browser.run("return [...document.querySelectorAll('.values tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"),
           [["data[0]", "1", HOSTILE], ["  step3:memory:-:- (line 16): copy[0]", "2 (0x00000002)", "3 (0x00000003)"]])
    expect("subjects in the order of the columns", browser.run("return [...document.querySelectorAll('#detail nav .verdict')].map(link => link.innerText)"),
           ["sim PASS", "pocl FAIL", "nowhere UNAVAILABLE"])
    words = "return [...document.querySelectorAll('.source .is-{0}')].map(word => word.textContent)"
    expect("keys and names of types", browser.run(words.format("word")),
           ["assay", "summary", "covers", "rule", "at", "modules", "app", "sources", "language", "code", "kernel", "void", "global", "int",
            "memory", "data", "type", "values", "steps", "submit", "kernel", "range", "args", "id", "expect", "memory", "equals"])
    expect("numbers", browser.run(words.format("number")), ["1", "0", "1", "2", "0", "1", "1"])
    expect("a text", browser.run(words.format("text")), [f"'Says {HOSTILE}'"])
    expect("the cited rule", browser.run("return document.querySelector('.rule.cited strong').textContent"), "DL-LINK-02")
    expect("events that differ", browser.run(
        "return [...document.querySelectorAll('.traces tr.differs')].map(row => [...row.cells].map(cell => cell.textContent))"),
        [["2", "select kernel: apply image: app/0", "create image: <i>app</i> executable: false"],
         ["3", "", "create image: app/1 executable: false"]])
    expect("events beside each other", browser.run(
        "return [...document.querySelectorAll('.traces')].pop().tBodies[0].rows.length"), 4)
    expect("events with other numbers", browser.run(
        "return [...document.querySelectorAll('.traces')].pop().tBodies[0].rows[2].cells[0].textContent"), "3 | 4")
    expect("commands", browser.run("return [...document.querySelectorAll('.command')].map(code => code.textContent)"),
           ["assay run linking/a.yaml --on pocl", "assay why linking/a.yaml pocl", "assay export linking/a.yaml --for opencl -o exported"])
    browser.run("window.copied = []; navigator.clipboard.writeText = async text => { window.copied.push(text); };"
                "for (const button of document.querySelectorAll('#detail .copy')) button.click()")
    expect("what buttons copy", browser.run("return window.copied"), browser.run(
        "return [...document.querySelectorAll('#detail .command, #detail .entries')].map(text => text.textContent)"))
    browser.run("navigator.clipboard.writeText = async () => { throw new Error('forbidden'); }; document.querySelector('#detail .copy').click()")
    expect("what is selected where copying is forbidden", browser.run("return String(getSelection())"), "assay run linking/a.yaml --on pocl")
    expect("the entry to paste", browser.run("return document.querySelector('#detail .entries').textContent"),
           '  - scenario: linking/a.yaml\n    signature: "step2:memory:-:-"\n    flaky: true\n    bound: 91\n'
           '    class: untriaged\n    since: 2026-01-31\n')
    expect("the attempts", browser.run("return document.querySelector('#detail dl').innerText.includes('1 of 2 failed: FAIL, PASS')"), True)
    expect("an untriaged known failure", browser.run(
        "return facts({ file: 'a', entry: 'pocl.yaml:4', expected_failure: 'a:b:c:d', class: 'untriaged', observed: 1, expected: 1,"
        " unobserved: [], seconds: 1 }).textContent.includes('a:b:c:d (pocl.yaml:4)class')"), True)
    browser.run("for (const fold of document.querySelectorAll('#detail details')) fold.open = true")
    drawn = 2 if shutil.which("dot") else 1
    expect("pictures", browser.run("return document.querySelectorAll('.picture svg[role=img]').length"), drawn)
    expect("the timeline's boxes", browser.run("return document.querySelectorAll('.timeline svg rect.b').length"), 2)
    expect("markup that is text", browser.run("return document.querySelectorAll('b, img, i, u').length"), 0)


def back(browser):
    browser.key("Escape")
    expect("after Esc", browser.run("return document.getElementById('detail').hidden"), True)
    expect("focus after Esc", browser.run(FOCUS), "FAIL, linking/a.yaml on pocl")
    browser.run("location.hash = 'scenario=fusion%2Fb.yaml&on=pocl'")
    expect("from an earlier run", browser.run("return document.getElementById('detail').textContent.includes('from an earlier run')"), True)
    browser.run("history.back()")
    expect("after going back", browser.run("return document.getElementById('detail').hidden"), True)


CONTRAST = """
const wanted = [['ink', 'ground'], ['ink', 'raised'], ['faint', 'ground'], ['faint', 'raised'], ['link', 'ground'], ['ok', 'ok-ground'],
  ['bad', 'bad-ground'], ['ink', 'bad-ground'], ['ok', 'raised'], ['link', 'raised'], ['known', 'raised'], ['known', 'known-ground'], ['ink', 'quiet-ground'], ['ink', 'mark'], ['faint', 'mark']];
const style = getComputedStyle(document.documentElement);
const light = (name) => [1, 3, 5].map((at) => parseInt(style.getPropertyValue('--' + name).trim().slice(at, at + 2), 16) / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
const ratio = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
return wanted.filter(([ink, ground]) => !(ratio(light(ink), light(ground)) >= 4.5)).map((pair) => pair.join(' on '));
"""


# A table in a box that scrolls may hide columns without being wider than the screen.
OUT_OF_SIGHT = """
return [...document.querySelectorAll('#counts td, #detail .values td, #detail .copy, #detail h2, #detail p, #detail dd')]
  .filter((cell) => cell.textContent && (cell.getBoundingClientRect().right > innerWidth || (cell.matches('button') && cell.scrollWidth > cell.clientWidth)))
  .map((cell) => cell.textContent);
"""


def looks(browser, shots):
    """Screens: nothing is wider than the screen, and contrast is sufficient (WCAG 2.1, 1.4.3)."""
    for name, width, height, dark in (("wide", 1400, 900, False), ("narrow", 400, 800, False), ("dark", 1400, 900, True)):
        browser.screen(width, height, dark)
        expect(f"too little contrast, {name}", browser.run(CONTRAST), [])
        for view, address in (("matrix", ""), ("detail", "scenario=linking%2Fa.yaml&on=pocl")):
            browser.run(f"location.hash = '{address}'")
            browser.run("for (const fold of document.querySelectorAll('#detail details')) fold.open = true")
            wide = browser.run("return document.documentElement.scrollWidth")
            if wide and wide > width:
                failures.append(f"{view}, {name}: {wide} pixels wide, the screen has {width}")
            expect(f"out of sight, {view}, {name}", browser.run(OUT_OF_SIGHT), [])
            if shots:
                tall = min(browser.run("return document.documentElement.scrollHeight"), 5000)
                browser.screen(width, max(height, tall), dark)
                browser.picture(f"{shots}/{name}_{view}.png")
                browser.screen(width, height, dark)


def refuses_other_scripts(browser, folder):
    """A script that differs by one blank does not run: the page's policy contains the script's hash."""
    page = pathlib.Path(f"{folder}/page.html").read_bytes()
    expect("where the script begins", page.count(b"\nbegin();\n"), 1)
    pathlib.Path(f"{folder}/altered.html").write_bytes(page.replace(b"\nbegin();\n", b"\nbegin(); \n"))
    browser.visit(f"file://{folder}/altered.html")
    expect("rows made by another script", browser.run("return document.querySelectorAll('#matrix tr').length"), 0)
    expect("it was refused", any("Content Security Policy" in error for error in browser.errors), True)


def main():
    write_page, shots = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not program:
        print("skipped: no Chromium, which shows the page; ci/setup --with report")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            browser.open()
            for name, count in (("page", 0), ("large", 614)):
                with open(f"{folder}/{name}.html", "wb") as file:
                    subprocess.run([write_page, str(count)], stdout=file, check=True)
            browser.screen(1400, 900, False)
            browser.visit(f"file://{folder}/page.html")
            for check in (overview, keys, detail, back):
                check(browser)
            looks(browser, shots)
            begun = time.monotonic()
            browser.visit(f"file://{folder}/large.html")
            expect("rows of a large page", browser.run("return document.querySelectorAll('#matrix tbody tr[data-path]').length"), 617)
            shown = time.monotonic() - begun
            print(f"617 scenarios are shown after {shown:.2f} s")
            expect("shown within 10 seconds", shown < 10, True)
            filtered = browser.run("const at = performance.now();" + SET.format("text", "number_0613") + "return performance.now() - at")
            print(f"and filtered in {filtered:.0f} ms")
            expect("errors of the page", browser.errors, [])
            refuses_other_scripts(browser, folder)
        finally:
            browser.end()
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
