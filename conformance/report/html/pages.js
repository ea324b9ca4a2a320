/* Navigation between the overview and verdicts.  The address contains the page and the filters,
 * after '#', so that the browser's back button works and an address can be shared. */

/* The address of a verdict, or of the overview, with the current filters. */
function place(opened) {
  const words = new URLSearchParams(Object.entries({ ...currentFilters(), ...opened }).filter(([, value]) => value));
  return `#${words}`;
}

/* The position to restore in the overview. */
let position = { scroll: 0, button: null };

function showOverview() {
  const back = !byId("detail").hidden;
  byId("detail").hidden = true;
  byId("overview").hidden = false;
  document.title = "assay report";
  if (!back) return;
  window.scrollTo(0, position.scroll);
  position.button?.focus({ preventScroll: true });
}

function showDetail(row, subject) {
  if (byId("detail").hidden) position.scroll = window.scrollY;
  openDetail(row, subject);
  position.button = [...row.element.cells].find((cell) => cell.dataset.subject === subject)?.querySelector("button") || position.button;
  byId("overview").hidden = true;
  byId("detail").hidden = false;
  document.title = `${row.path} on ${subject} - assay report`;
  window.scrollTo(0, 0);
  byId("detail").querySelector("h2").focus({ preventScroll: true });
}

function followAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const name of filterNames) byId(name).value = words.get(name) || "";
  applyFilters();
  const row = rowOf.get(words.get("scenario"));
  const subject = words.get("on");
  if (row && recordOf(row, subject)) showDetail(row, subject);
  else showOverview();
}

function onFilter() {
  applyFilters();
  history.replaceState(null, "", place({}));
}

function openButton(button) {
  tabStop(button);
  location.hash = place({ scenario: button.closest("tr").dataset.path, on: button.closest("td").dataset.subject });
}

function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "/" && !typing) {
    event.preventDefault();
    if (!byId("detail").hidden) location.hash = place({});
    setTimeout(() => byId("text").focus());
  } else if (event.key === "Escape" && !byId("detail").hidden) {
    location.hash = place({});
  }
}

function begin() {
  const hosts = valuesOf(index.records, "host").sort();
  byId("answer").textContent = index.answer;
  byId("answer").className = /^0 /.test(index.answer) ? "good" : "bad";
  byId("about").textContent = [
    `assay ${index.version}`, index.conditions, `${index.scenarios.length} scenarios, ${index.records.length} records`,
    index.began && `${index.began.replace("T", " ")} UTC`, hosts.length > 0 && `on ${hosts.join(" and ")}`,
  ].filter(Boolean).join(", ");
  byId("command").replaceChildren(make("code", {}, index.command));
  byId("command").hidden = !index.command;
  fillUnexpected();
  byId("entries").textContent = index.entries;
  byId("entries").hidden = !index.entries;
  fillCounts();
  fillFilters();
  fillMatrix();
  byId("filters").addEventListener("input", onFilter);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", () => setTimeout(onFilter));
  byId("matrix").addEventListener("click", (event) => { const button = event.target.closest("td button"); if (button) openButton(button); });
  byId("matrix").addEventListener("keydown", onMatrixKey);
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", followAddress);
  followAddress();
}

begin();
