/* The page's data, and the creation of elements. Strings become text nodes: text from a scenario or a driver is never
 * parsed as markup. */

/* Parses the JSON object in a data element. */
function data(id) {
  const holder = document.getElementById(id);
  return holder ? JSON.parse(holder.textContent) : null;
}

const index = data("index");
const subjects = index.subjects.map((subject) => subject.name);

/* The subjects that are not installed: their columns are hidden unless the filter asks for one. */
const isMissing = (record) => record.verdict === "UNAVAILABLE" && !record.signature;
const absent = new Set(subjects.filter((subject) => {
  const own = index.records.filter((record) => record.subject === subject);
  return own.some(isMissing) && own.every((record) => isMissing(record) || record.verdict === "SKIP");
}));

/* The values that objects have under a key, each once, in the objects' order. */
function valuesOf(objects, key) {
  return [...new Set(objects.map((object) => object[key]).filter(Boolean))];
}

/* An element with attributes and children; a child may be a string; null is skipped. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

const byId = (id) => document.getElementById(id);

/* The page's rows: for each scenario, its entry in the index and its records by subject. */
const rows = index.scenarios.map((scenario, number) => ({
  ...scenario, number, feature: scenario.path.includes("/") ? scenario.path.split("/")[0] : "", records: new Map(),
}));
const rowOf = new Map(rows.map((row) => [row.path, row]));
for (const record of index.records) rowOf.get(record.scenario).records.set(record.subject, record);

/* The record that a cell shows; an invalid scenario has one record for all subjects. */
const recordOf = (row, subject) => row.records.get(subject) || row.records.get("-");

/* "PASS", or "PASS 3/5" if some checks were not observed. */
function verdictText(record) {
  const partial = (record.verdict === "PASS" || record.verdict === "LINKED") && record.observed < record.expected;
  return partial ? `${record.verdict} ${record.observed}/${record.expected}` : record.verdict;
}

function verdictClass(record) {
  if (record.effect !== "expected") return "verdict bad";
  if (record.verdict === "PASS" || record.verdict === "LINKED") return "verdict ok";
  return record.verdict === "XFAIL" || record.verdict === "FLAKE" ? "verdict known" : "verdict";
}

/* A path that may be broken after '/' and '_', but not inside a word. */
const breakable = (path) => path.split(/(?<=[/_])/).flatMap((part, at) => (at > 0 ? [make("wbr"), part] : [part]));
