/* The overview: counts, filters, and the matrix with its keyboard navigation. */

const filterNames = ["text", "verdict", "subject", "feature", "rule"];
const NOT_EXPECTED = "not as expected";

/* ---- Counts and choices ---- */

function fillCounts() {
  const words = valuesOf(index.records, "verdict").sort();
  const table = byId("counts");
  table.tHead.append(make("tr", {}, make("th", { scope: "col" }, "subject"),
    words.map((word) => make("th", { scope: "col" }, word))));
  const invalid = index.records.some((record) => record.subject === "-") ? ["-"] : [];
  for (const subject of [...invalid, ...subjects]) {
    const records = index.records.filter((record) => record.subject === subject);
    const missing = absent.has(subject);
    const install = index.subjects.find((column) => column.name === subject)?.install;
    const label = subject === "-" ? "the scenario itself" : subject;
    const drivers = valuesOf(records, "driver").join(", ");
    table.tBodies[0].append(make("tr", {},
      make("th", { scope: "row" }, label, missing && install ? make("small", { class: "faint" }, ` (to install: ${install})`) : null,
        drivers ? make("small", { class: "faint" }, ` ${drivers}`) : null),
      words.map((word) => make("td", { "data-verdict": word }, String(records.filter((record) => record.verdict === word).length || "")))));
  }
}

/* The unexpected verdicts, each with the first line of its reason and a link to its page. */
function fillUnexpected() {
  const records = index.records.filter((record) => record.effect !== "expected");
  byId("unexpected").hidden = records.length === 0;
  byId("unexpected").tBodies[0].append(...records.map((record) => {
    const subject = record.subject === "-" ? subjects[0] : record.subject;
    return make("tr", {}, make("td", {}, make("span", { class: verdictClass(record) }, record.verdict)),
      make("th", { scope: "row" }, make("a", { href: place({ scenario: record.scenario, on: subject }) }, ...breakable(record.scenario))),
      make("td", {}, record.subject === "-" ? "the scenario itself" : record.subject),
      make("td", {}, (record.message || record.signature || "").split("\n")[0]));
  }));
}

function fillChoice(id, all, values) {
  byId(id).append(make("option", { value: "" }, all), ...values.map((value) => make("option", { value }, value)));
}

function fillFilters() {
  fillChoice("verdict", "all", [NOT_EXPECTED, ...valuesOf(index.records, "verdict").sort()]);
  fillChoice("subject", "all", subjects);
  fillChoice("feature", "all", valuesOf(rows, "feature").sort());
  byId("rule-ids").append(...Object.keys(index.rules).sort().map((value) => make("option", { value })));
}

/* ---- Filtering ---- */

/* The text that a search covers, in lower case; built on the first search. */
function searched(row) {
  if (!row.searched) {
    const texts = (record) => [record.message, record.signature, record.device, record.driver, record.reason, record.capability, record.answer];
    row.searched = [row.path, row.summary, ...[...row.records.values()].flatMap(texts)].filter(Boolean).join("\n").toLowerCase();
  }
  return row.searched;
}

const hasVerdict = (record, verdict) =>
  verdict === NOT_EXPECTED ? record.effect !== "expected" : record.verdict === verdict;

/* `pattern` is a rule such as "DL-LINK-01", a group such as "DL-LINK" (as for --rule), or a prefix such as "DL-LI*". */
function hasRule(row, pattern) {
  const ids = [...row.covers.map((cover) => cover[0]), ...[...row.records.values()].map((record) => record.rule || "")];
  const word = pattern.toUpperCase();
  return ids.some((id) => (word.endsWith("*") ? id.startsWith(word.slice(0, -1)) : `${id}-`.startsWith(`${word}-`)));
}

function isShown(row, filters, columns) {
  if (filters.feature && row.feature !== filters.feature) return false;
  if (filters.rule && !hasRule(row, filters.rule)) return false;
  const records = columns.map((subject) => recordOf(row, subject)).filter(Boolean);
  if (records.length === 0) return false;
  if (filters.verdict && !records.some((record) => hasVerdict(record, filters.verdict))) return false;
  return filters.text.toLowerCase().split(/\s+/).every((word) => searched(row).includes(word));
}

function currentFilters() {
  return Object.fromEntries(filterNames.map((name) => [name, byId(name).value.trim()]));
}

/* ---- The matrix ---- */

/* Rows are created once; filters show and hide them. */
function makeRow(row) {
  const cells = subjects.map((subject) => {
    const record = recordOf(row, subject);
    const button = record && make("button", {
      class: verdictClass(record), type: "button", tabindex: "-1", "aria-label": `${verdictText(record)}, ${row.path} on ${subject}`,
    }, verdictText(record));
    return make("td", { role: "gridcell", "data-subject": subject }, button);
  });
  row.element = make("tr", { role: "row", "data-path": row.path },
    make("th", { scope: "row", role: "rowheader" }, ...breakable(row.path), row.summary ? make("small", {}, row.summary) : null), cells);
  return row.element;
}

/* A line above the scenarios of each folder folds them. */
const folders = new Map();

function makeFolder(feature) {
  const own = rows.filter((row) => row.feature === feature);
  const bad = own.filter((row) => [...row.records.values()].some((record) => record.effect !== "expected")).length;
  const button = make("button", { type: "button", "aria-expanded": "true" },
    `${feature}/`, make("small", {}, ` ${own.length} scenario${own.length === 1 ? "" : "s"}${bad ? `, ${bad} unexpected` : ""}`));
  const element = make("tr", { class: "folder", role: "row" },
    make("th", { scope: "row", role: "rowheader", colspan: String(subjects.length + 1) }, button));
  folders.set(feature, { element, button, folded: false });
  button.addEventListener("click", () => {
    const folder = folders.get(feature);
    folder.folded = !folder.folded;
    button.setAttribute("aria-expanded", String(!folder.folded));
    applyFilters();
  });
  return element;
}

function fillMatrix() {
  const table = byId("matrix");
  table.tHead.append(make("tr", { role: "row" }, make("th", { scope: "col", role: "columnheader" }, "scenario"),
    subjects.map((subject) => make("th", { scope: "col", role: "columnheader", "data-subject": subject }, subject))));
  table.tBodies[0].append(...rows.flatMap((row, at) =>
    row.feature && (at === 0 || rows[at - 1].feature !== row.feature) ? [makeFolder(row.feature), makeRow(row)] : [makeRow(row)]));
}

function applyFilters() {
  const filters = currentFilters();
  const present = subjects.filter((subject) => !absent.has(subject));
  const columns = filters.subject ? [filters.subject] : present.length > 0 ? present : subjects;
  let count = 0;
  for (const folder of folders.values()) folder.element.hidden = true;
  for (const row of rows) {
    const shown = isShown(row, filters, columns), folder = folders.get(row.feature);
    row.element.hidden = !shown || Boolean(folder?.folded);
    if (shown && folder) folder.element.hidden = false;
    count += shown;
    for (const cell of row.element.cells) {
      const button = cell.querySelector("button");
      const record = button && recordOf(row, cell.dataset.subject);
      if (record) button.classList.toggle("other", filters.verdict !== "" && !hasVerdict(record, filters.verdict));
    }
  }
  for (const cell of byId("matrix").querySelectorAll("[data-subject]")) cell.hidden = !columns.includes(cell.dataset.subject);
  byId("shown").textContent = `${count} of ${rows.length} scenarios`;
  tabStop(null);
}

/* The Tab key reaches one cell; arrow keys move from there (WAI-ARIA Practices, "Grids"). */
let tabbed = null;
function tabStop(button) {
  if (tabbed) tabbed.tabIndex = -1;
  const first = () => [...byId("matrix").tBodies[0].querySelectorAll("tr:not([hidden]) td:not([hidden]) button")][0];
  tabbed = button || (tabbed && tabbed.offsetParent ? tabbed : first()) || null;
  if (tabbed) tabbed.tabIndex = 0;
}

const buttonsOf = (line) => [...line.querySelectorAll("td:not([hidden]) button")];

/* The cell to which a key moves the focus. */
function neighbour(button, key) {
  const lines = rows.map((row) => row.element).filter((line) => !line.hidden && buttonsOf(line).length > 0);
  const line = button.closest("tr"), cells = buttonsOf(line), column = cells.indexOf(button), at = lines.indexOf(line);
  const clamp = (number, length) => Math.max(0, Math.min(number, length - 1));
  const to = (number) => {
    const other = buttonsOf(lines[clamp(number, lines.length)]);
    return other[clamp(column, other.length)];
  };
  const steps = {
    ArrowLeft: () => cells[clamp(column - 1, cells.length)], ArrowRight: () => cells[clamp(column + 1, cells.length)],
    ArrowUp: () => to(at - 1), ArrowDown: () => to(at + 1), PageUp: () => to(at - 20), PageDown: () => to(at + 20),
    Home: () => cells[0], End: () => cells[cells.length - 1],
  };
  return steps[key] ? steps[key]() : null;
}

function onMatrixKey(event) {
  const button = event.target.closest("button");
  const next = button && !event.ctrlKey && !event.altKey && !event.metaKey ? neighbour(button, event.key) : null;
  if (!next) return;
  event.preventDefault();
  tabStop(next);
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}
