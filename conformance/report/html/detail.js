/* The page of one verdict: the failing line, the rule, the traces, the calls, the pictures. */

const heading = (text) => make("h3", {}, text);

/* A part of the page with its heading; null if the part would be empty. */
function part(title, ...content) {
  const children = content.flat().filter((child) => child !== null && child !== undefined);
  return children.length > 0 ? make("section", { "aria-label": title }, heading(title), children) : null;
}

/* ---- The verdict ---- */

/* "1 of 2 failed: FAIL, PASS", if the scenario ran several times. */
function attemptsText(record) {
  const words = (record.attempts || []).map((attempt) => attempt.verdict);
  const failed = words.filter((word) => word !== "PASS" && word !== "LINKED" && word !== "SKIP").length;
  return words.length > 0 ? `${failed} of ${words.length} failed: ${words.join(", ")}` : "";
}

function facts(record) {
  const known = record.entry ? `${record.expected_failure} (${record.entry})${record.reason ? `: ${record.reason}` : ""}` : "";
  const requirement = record.capability ? `${record.capability}: ${record.answer || ""}` : "";
  const line = record.line ? `${record.file}:${record.line}` : record.file;
  const entries = [
    ["scenario", line], ["step", record.step_id], ["signature", record.signature],
    ["attempts", attemptsText(record)],
    ["observed", `${record.observed} of ${record.expected}${record.unobserved.length ? `; not: ${record.unobserved.join(", ")}` : ""}`],
    ["required of the device", requirement], ["known failure", known], ["class", record.class], ["reference", record.reference], ["finding", record.finding],
    ["device", record.device], ["driver", record.driver], ["host", record.host], ["choices", record.choices], ["conditions", record.conditions],
    ["time", `${record.seconds.toFixed(3)} s`],
  ];
  return make("dl", {}, entries.filter(([, value]) => value).map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

/* ---- Copying ---- */

/* Selects a text, so that it can be copied by hand where the browser forbids it, and copies it. */
async function copyFrom(element, text) {
  const range = document.createRange();
  range.selectNodeContents(element);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

/* An element whose text a button copies. */
function copyable(element, what) {
  const button = make("button", { type: "button", class: "copy", "aria-label": `copy ${what}` }, "copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copyFrom(element, element.textContent)) ? "copied" : "press Ctrl+C";
    setTimeout(() => { button.textContent = "copy"; }, 2000);
  });
  return make("div", { class: "copyable" }, element, button);
}

/* The interface of `assay export` that the subject is driven through. */
const EXPORTS = { pocl: "opencl", "intel-cpu": "opencl", "pocl-source": "opencl-c", "nvidia-opencl": "opencl-c",
  "intel-gpu": "level_zero", cuda: "cuda" };

function commands(record) {
  const api = EXPORTS[record.subject.split("{")[0]], file = /^assay run (.*?) --on /.exec(record.again || "");
  const exported = api && file ? `assay export ${file[1]} --for ${api} -o exported` : null;
  return [["again", record.again], ["why", record.why], ["as a C program", exported]].filter(([, text]) => text)
    .map(([name, text]) => make("div", { class: "run" }, `${name}: `, copyable(make("code", { class: "command" }, text), name)));
}

/* ---- Expected and got ---- */

/* The message, of which the lines "WHERE: expected VALUE, got VALUE" are a table. */
function messagePart(record) {
  if (!record.message) return null;
  const values = [], rest = [];
  for (const line of record.message.split("\n")) {
    const found = /^(?:(.+?): )?expected (.+), got (.+)$/.exec(line);
    if (found) values.push([found[1] || "", found[2], found[3]]);
    else rest.push(line);
  }
  /* A heading is left out if all of its lines are in the table. */
  const lines = rest.filter((line, at) => !/^\d+ more:$/.test(line) || /^ {2}/.test(rest[at + 1] || ""));
  const table = values.length === 0 ? null : make("div", { class: "scroll" }, make("table", { class: "values" },
    make("thead", {}, make("tr", {}, ["", "expected", "got"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, values.map(([where, ...pair]) => make("tr", {}, make("th", { scope: "row" }, where), pair.map((value) => make("td", {}, value)))))));
  return [table, lines.length > 0 ? make("pre", { class: "message" }, lines.join("\n")) : null];
}

function checksPart(detail) {
  const checks = detail?.checks || [];
  if (checks.length === 0) return null;
  return part("Expectations and observations", make("table", {},
    make("thead", {}, make("tr", {}, ["outcome", "line", "check"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, checks.map(([word, line, text]) => make("tr", {},
      make("td", {}, make("span", { class: `verdict ${{ agrees: "ok", FAILS: "bad" }[word] || ""}` }, word)),
      make("td", {}, line ? String(line) : ""), make("td", {}, text))))));
}

/* ---- The scenario ---- */

/* Kinds of words, by language: the n-th group of an expression is the n-th kind. */
const KINDS = ["note", "text", "word", "number"];
const NUMBER = String.raw`(?<![\w.-])-?(?:0[xX][0-9a-fA-F]+|\d[\d.]*(?:[eE][-+]?\d+)?)[uUlLfFhH]*\b`, TEXT = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const words = (note, text, word) => new RegExp(`(${note})|(${text})|(${word})|(${NUMBER})`, "g");
const LANGUAGES = {
  yaml: words(String.raw`(?<=^|\s)#.*`, TEXT, String.raw`[A-Za-z_][\w.-]*(?=:(?:\s|$))`),
  code: words(String.raw`//.*|/\*.*?(?:\*/|$)`, TEXT, String.raw`#\s*(?:define|if|ifdef|ifndef|else|elif|endif|include|pragma|undef)\b|\b(?:__)?(?:kernel|global|local|constant|private|generic|read_only|write_only|if|else|for|while|do|switch|case|default|break|continue|return|goto|struct|union|enum|typedef|class|public|protected|virtual|override|template|typename|namespace|using|extern|static|inline|const|volatile|void|bool|char|uchar|short|ushort|int|uint|long|ulong|half|float|double|size_t|unsigned|signed|auto)\b`),
  assembly: words(";.*", TEXT, String.raw`[%@][\w.$-]+|\bOp[A-Z]\w*|\b(?:define|declare|call|ret|br|load|store|getelementptr|phi|select|icmp|fcmp|add|sub|mul|alloca|global|constant|label)\b`),
};

/* The language of each line: that of the file, or inside a block that of the source's `language`. */
function languagesOf(lines) {
  let block = -1, language = "code"; /* the indentation of the block's key; -1: not in a block */
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (block >= 0 && (indent < 0 || indent > block)) return language;
    block = -1;
    const named = /\blanguage: *"?([\w-]+)/.exec(line);
    if (named) language = /llvm|spirv|ptx/.test(named[1]) ? "assembly" : "code";
    if (/^[^#]*: *[|>][-+\d]*\s*$/.test(line)) block = /^\s*- /.test(line) ? indent + 2 : indent;
    return "yaml";
  });
}

/* The line, with its words of a kind in elements. */
function highlighted(line, language) {
  const parts = [];
  let end = 0;
  for (const found of line.matchAll(LANGUAGES[language])) {
    const kind = KINDS[found.slice(1).findIndex((text) => text !== undefined)];
    parts.push(line.slice(end, found.index), make("span", { class: `is-${kind}` }, found[0]));
    end = found.index + found[0].length;
  }
  return [...parts, line.slice(end)].filter(Boolean);
}

function sourcePart(scenario, record, detail) {
  if (!scenario.source) return null;
  const failing = new Set((detail?.checks || []).filter(([word]) => word === "FAILS").map(([, line]) => line));
  if (record.line && record.effect !== "expected") failing.add(record.line);
  const texts = scenario.source.replace(/\n$/, "").split("\n"), languages = languagesOf(texts);
  const lines = texts.map((line, at) => {
    const content = line ? highlighted(line, languages[at]) : "\u200b";
    return failing.has(at + 1) ? make("div", { class: "fails" }, make("mark", {}, content)) : make("div", {}, content);
  });
  const box = make("pre", { class: "source", tabindex: "0", role: "region", "aria-label": "The scenario's file" }, lines);
  const first = box.querySelector("mark");
  if (first) requestAnimationFrame(() => { box.scrollTop = first.parentElement.offsetTop - box.offsetTop - box.clientHeight / 3; });
  return part("The scenario", box);
}

/* ---- Rules ---- */

function ruleBlock(id, cited) {
  const rule = index.rules[id];
  const texts = rule ? [["", rule.statement], ["Our reading: ", rule.reading], ["Shipped DPC++: ", rule.dpcpp]] : [];
  return make("div", { class: cited ? "rule cited" : "rule" },
    make("p", {}, make("strong", {}, id), rule ? ` (${rule.source}; ${rule.outcome})` : ", which is not in a requirements.yaml"),
    texts.filter(([, text]) => text).map(([label, text]) => make("p", {}, label ? make("em", {}, label) : "", text)));
}

/* First comes the rule that decided or, if there is none, the rules that the scenario covers at the
 * failing step. */
function rulesPart(row, record) {
  const all = [...new Set(row.covers.map((cover) => cover[0]))];
  const near = record.rule ? [record.rule] :
    [...new Set(row.covers.filter((cover) => record.step_id && cover[1] === record.step_id).map((cover) => cover[0]))];
  const rest = all.filter((id) => !near.includes(id));
  return part("Rules", near.map((id) => ruleBlock(id, true)), rest.length === 0 ? null :
    make("details", { open: near.length === 0 && rest.length <= 3 },
      make("summary", {}, `${rest.length}${near.length > 0 ? " more" : ""} that the scenario shows: ${rest.join(", ")}`),
      rest.map((id) => ruleBlock(id, false))));
}

/* ---- Traces ---- */

/* Aligns the events of two traces by their longest common subsequence (Wagner and Fischer).
 * Returns pairs of indices; -1: no event on that side. */
function align(left, right, same) {
  const width = right.length + 1, lengths = new Uint16Array((left.length + 1) * width), pairs = [];
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] = same(left[i], right[j]) ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  let i = 0, j = 0;
  while (i < left.length || j < right.length) {
    const both = i < left.length && j < right.length;
    if (both && same(left[i], right[j])) pairs.push([i++, j++]);
    else if (j === right.length || (both && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) pairs.push([i++, -1]);
    else pairs.push([-1, j++]);
  }
  return pairs;
}

/* Merges events that only the left trace has with adjacent events that only the right trace has, into the
 * same lines. */
function merge(pairs) {
  const out = [];
  let ends = 0; /* earlier pairs are final */
  for (const pair of pairs) {
    const open = pair[0] < 0 ? out.slice(ends).find((merged) => merged[1] < 0) : null;
    if (open) open[1] = pair[1];
    else out.push([...pair]);
    if (pair[0] >= 0 && pair[1] >= 0) ends = out.length;
  }
  return out;
}

function traceTable(names, lines) {
  return make("table", { class: "traces" },
    make("thead", {}, make("tr", {}, ["event", ...names].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, lines.map(({ number, texts, kind }) => make("tr", { class: kind },
      make("td", { "data-subject": "event" }, number),
      texts.map((text, at) => make("td", { "data-subject": names[at] }, text))))));
}

/* The traces from the first difference on, side by side; earlier events are collapsed. */
function partedTraces(scenario, detail, subject) {
  const ALIGNED_MAX = 4000, begin = detail.part, left = scenario.oracle.slice(begin), right = detail.trace.slice(begin);
  const text = (event) => scenario.events[event][0], key = (event) => scenario.events[event][1];
  const same = (first, second) => key(first) === key(second);
  const plain = () => Array.from({ length: Math.max(left.length, right.length) },
    (_, at) => [at < left.length ? at : -1, at < right.length ? at : -1]);
  const pairs = left.length > ALIGNED_MAX || right.length > ALIGNED_MAX ? plain() : merge(align(left, right, same));
  const side = (events, at) => (at < 0 ? "" : text(events[at]));
  const lines = pairs.map(([i, j], at) => {
    const equal = i >= 0 && j >= 0 && same(left[i], right[j]);
    const numbers = [...new Set([i, j].filter((number) => number >= 0))].map((number) => String(begin + number));
    return { number: numbers.join(" | "), texts: [side(left, i), side(right, j)],
      kind: [equal ? "" : "differs", at === 0 ? "first" : ""].join(" ").trim() || null };
  });
  const before = detail.trace.slice(0, begin).map((event, at) => ({ number: String(at), texts: [text(event)] }));
  return [
    make("p", {}, `The traces diverge at event ${begin}.`),
    before.length === 0 ? null : make("details", {}, make("summary", {}, `${before.length} earlier events, the same on both`), traceTable(["both"], before)),
    lines.length === 0 ? null : traceTable([index.oracle, subject], lines),
  ];
}

function tracesPart(scenario, detail, record) {
  if (!detail?.trace) return null;
  if (detail.part >= 0 && scenario.oracle) return part("Traces", partedTraces(scenario, detail, record.subject));
  const lines = detail.trace.map((event, at) => ({ number: String(at), texts: [scenario.events[event][0]] }));
  const note = detail.part === -1 ? `the same as on ${index.oracle}` : `of ${record.subject}`;
  return part("Traces", make("details", { open: record.effect !== "expected" },
    make("summary", {}, `${lines.length} events, ${note}`), traceTable([record.subject], lines)));
}

/* ---- OpenCL calls ------- */

function logPart(detail) {
  if (!detail?.log && !detail?.log_note) return null;
  return part("The last calls to the OpenCL driver", detail.log ? make("pre", {}, detail.log.join("\n")) : null,
    detail.log_note ? make("p", {}, detail.log_note) : null);
}

/* ---- Pictures ---- */

/* Creates a picture from SVG text, which is parsed as XML, so strings in it stay text; scripts and links are
 * removed anyway. */
function picture(svg, kind) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  if (parsed.querySelector("parsererror")) return make("p", {}, "This picture is damaged.");
  for (const element of [...parsed.querySelectorAll("script, foreignObject, image, use")]) element.remove();
  for (const element of parsed.querySelectorAll("*"))
    for (const attribute of [...element.attributes])
      if (/^on|href$/i.test(attribute.name)) element.removeAttribute(attribute.name);
  return make("div", { class: `picture ${kind}`, tabindex: "0", role: "region", "aria-label": `Picture: ${kind}` }, document.importNode(parsed.documentElement, true));
}

/* A section whose content is created when it is expanded. */
function folded(title, content) {
  const fold = make("details", {}, make("summary", {}, title));
  fold.addEventListener("toggle", () => { if (fold.children.length === 1) fold.append(content()); });
  return fold;
}

function picturesPart(scenario, subject) {
  const drawing = scenario.drawings.find((drawing) => drawing.of === subject) || scenario.drawings[0];
  if (!drawing) return null;
  const graph = drawing.graph ? folded("Modules, images, sets, variables, programs and commands", () => picture(drawing.graph, "graph"))
    : make("p", { class: "faint" }, `The graph is not drawn: ${drawing.problem || index.no_graphs}`);
  return part(`Structure and events on ${drawing.of}`, graph,
    drawing.timeline ? folded("Timeline", () => picture(drawing.timeline, "timeline")) : null,
    folded("The same in words", () => make("pre", {}, drawing.words)));
}

/* ---- The page ---- */

function navigation(row, subject) {
  const visible = rows.filter((other) => !other.element.hidden || other === row), at = visible.indexOf(row);
  const link = (text, to) => (to ? make("a", { href: place({ scenario: to.path, on: subject }) }, text) : null);
  const others = subjects.map((name) => row.records.get(name)).filter(Boolean).map((record) =>
    make("a", { class: verdictClass(record), href: place({ scenario: row.path, on: record.subject }), "aria-current": record.subject === subject ? "true" : null },
      `${record.subject} ${verdictText(record)}`));
  return make("nav", { "aria-label": "Verdicts of this scenario" },
    make("a", { href: place({}) }, "← matrix (Esc)"), link("previous", visible[at - 1]), link("next", visible[at + 1]), others);
}

/* Fills the page of a verdict. */
function openDetail(row, subject) {
  const record = recordOf(row, subject);
  const scenario = data(`scenario-${row.number}`), detail = scenario.subjects[record.subject] || null;
  const where = record.subject === "-" ? "" : ` on ${record.subject}`;
  byId("detail").replaceChildren(...[
    navigation(row, subject),
    make("h2", { tabindex: "-1" }, make("span", { class: verdictClass(record) }, verdictText(record)), ` ${row.path}${where}`),
    row.summary ? make("p", {}, row.summary) : null,
    messagePart(record),
    detail?.warning ? make("pre", {}, `warning: ${detail.warning}`) : null,
    facts(record), part("Run it again", commands(record)),
    record.entries ? part(`To expect it, in ${record.subject.split("{")[0]}.yaml`, copyable(make("pre", { class: "entries" }, record.entries), "the entries")) : null,
    detail ? null : make("p", { class: "faint" }, "The record is from an earlier run, or nothing ran: it has no checks and no trace."),
    checksPart(detail), sourcePart(scenario, record, detail), rulesPart(row, record),
    tracesPart(scenario, detail, record), logPart(detail), picturesPart(scenario, record.subject),
  ].flat().filter(Boolean));
}
