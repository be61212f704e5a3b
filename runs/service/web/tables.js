// A file of pairs: read by the server, scored in parts, shown, and returned with the scores.

const table = { file: null, columns: [], rows: [], pairs: [], scores: [], low: [], high: [], differences: [], contradicts: [], by: "row", down: false };
let run = 0;
const TYPED = "typed", LINES = 500, PART = 1000; // rows on the page, pairs of a request

/** The threshold, with a decimal point or comma; null if it is no number from 0 to 5. */
function threshold() {
  const text = the("threshold").value.trim().replace(",", ".");
  return /^(\d+\.?\d*|\.\d+)$/.test(text) && Number(text) <= 5 ? Number(text) : null;
}

/** A score as it is shown, and compared: with two decimals, or as many as the threshold has. */
const shown = (value) => value.toFixed(Math.max(2, String(threshold() ?? "").split(".")[1]?.length ?? 0));

const shortened = (text) => ([...text].length > 80 ? `${[...text].slice(0, 80).join("")}…` : text);

/** Have the server read the file, as the person says or as it finds out. */
async function openFile(file, how = {}) {
  if (!file) return;
  const mine = ++run; // what runs on another file stops
  the("scored").hidden = true;
  the("begin").disabled = true;
  say("table-said", "Reading …");
  try {
    if (file.size > 32e6) throw new Error("larger than 32 MB; use: semaniacs score FILE");
    const url = await new Promise((done, fail) => {
      const reader = new FileReader();
      Object.assign(reader, { onload: () => done(reader.result), onerror: () => fail(new Error("it cannot be read")) });
      reader.readAsDataURL(file);
    });
    const sent = { name: file.name, content: url.slice(url.indexOf(",") + 1), ...how };
    const found = await ask("table", sent);
    if (mine !== run) return;
    Object.assign(table, { file, sent, ...found });
    showColumns(found);
  } catch (error) {
    if (mine !== run) return;
    the("columns").hidden = table.file !== file;
    say("table-said", error.message.startsWith(file.name) ? error.message : `${file.name}: ${error.message}`, true);
  }
}

function showColumns(found) {
  const options = () => found.columns.map((name, at) => make("option", { value: at }, found.header ? name : `column ${name}`));
  for (const side of ["left", "right", "question", "id"]) {
    const first = { id: "number of the row", question: "none" }[side] ?? (found[side] === null ? "choose" : null);
    the(`${side}-column`).replaceChildren(...(first ? [make("option", { value: "" }, first)] : []), ...options());
    if (side === "right") the("right-column").append(make("option", { value: TYPED }, "typed below, for all rows"));
    the(`${side}-column`).value = found[side] ?? (side === "right" && found.columns.length === 1 ? TYPED : "");
  }
  the("header").checked = found.header;
  the("encoding").value = found.encoding;
  the("columns").hidden = false;
  the("begin").disabled = !found.rows.length;
  showFirst();
}

/** The model answers for all rows; null if they stand in a column. */
function references() {
  return the("right-column").value === TYPED ? the("one-right").value.split("\n").map((line) => line.trim()).filter((line) => line) : null;
}

/** Say what is compared, with the first pair, so that a wrong guess is seen before it is scored. */
function showFirst() {
  const chosen = ["left", "right"].map((side) => the(`${side}-column`).value);
  const [left, right] = chosen.map((place) => table.rows[0]?.[place] ?? references()?.[0] ?? "");
  const unclear = chosen.includes("") || chosen[0] === chosen[1], unsaid = references()?.length === 0;
  the("references").hidden = chosen[1] !== TYPED;
  the("begin").disabled = unclear || unsaid || !table.rows.length;
  if (unclear) say("table-said", "Choose two columns, or type a model answer for all rows.", true);
  else if (unsaid) say("table-said", "Type the model answer.", true);
  else say("table-said", `${table.file.name}: ${table.rows.length.toLocaleString("en")} ${table.rows.length === 1 ? "row" : "rows"}. The first compares “${shortened(left)}” with “${shortened(right)}”.`);
}

/** Offer what fits the model: its calibrations, and the threshold of one. */
function chooseModel() {
  const own = served.calibrations.filter((one) => one.model === the("table-model").value);
  the("calibration").parentElement.hidden = !own.length;
  the("calibration").replaceChildren(make("option", { value: "" }, "none"), ...own.map(({ name }) => make("option", { value: name }, name)));
}

const chosenCalibration = () => served.calibrations.find((one) => one.name === the("calibration").value);

const isTooLong = (text) => [...text].length > limits.characters;

/** Parts of pairs that fit into a request; a sentence that is too long is left out as blank. */
function* partsOf(pairs) {
  const most = Math.min(PART, limits.pairs), size = new TextEncoder();
  let part = [], bytes = 0;
  for (const pair of pairs) {
    const fits = pair.map((text) => isTooLong(text) ? "" : text);
    const length = size.encode(JSON.stringify(fits)).length + 1;
    if (part.length === most || (part.length && bytes + length > 0.9 * limits.bytes)) {
      yield part;
      part = []; bytes = 0;
    }
    part.push(fits);
    bytes += length;
  }
  if (part.length) yield part;
}

const SCORED = ["scores", "low", "high", "differences", "contradicts"];

/** Keep the best of several model answers of each row; the rows stand once for each. */
function keepBest(rows) {
  const best = table.rows.map((_, row) => {
    let found = row;
    for (let at = row + rows; at < table.pairs.length; at += rows) if (table.scores[at] > table.scores[found]) found = at;
    return found;
  });
  for (const name of ["pairs", ...SCORED]) if (table[name].length) table[name] = best.map((at) => table[name][at]);
}

the("table").addEventListener("submit", async (event) => {
  event.preventDefault();
  const mine = ++run, [left, right, question, id] = ["left", "right", "question", "id"].map((side) => the(`${side}-column`).value);
  const model = the("table-model").value, calibration = chosenCalibration();
  const hasIntervals = calibration?.intervals || served.models.find((one) => one.name === model)?.intervals;
  const asked = { model, empty: "null", differences: true, calibration: calibration?.name ?? null, level: hasIntervals ? 0.9 : null };
  Object.assign(table, { scores: [], low: [], high: [], differences: [], contradicts: [], warning: null });
  const typed = references() ?? [null];
  table.pairs = typed.flatMap((one) => table.rows.map((row) => [row[left], one ?? row[right], ...(question ? [row[question]] : [])]));
  table.ids = table.rows.map((row, at) => (id === "" ? String(at + 1) : row[id]));
  the("stop").hidden = the("progress").hidden = false;
  the("scored").hidden = true;
  say("table-said", "Scoring …");
  try {
    for (const pairs of partsOf(table.pairs)) {
      const found = await ask("score", { pairs, ...asked });
      if (mine !== run) return;
      for (const name of SCORED) table[name].push(...(found[name] ?? []));
      table.warning ??= found.warning;
      the("progress").value = table.scores.length / table.pairs.length;
    }
    keepBest(table.rows.length);
    the("histogram").replaceChildren(histogram(table.scores.filter((score) => score !== null)));
    the("scored").hidden = false;
    sortTable("row", false);
  } catch (error) {
    if (mine === run) say("table-said", error.message, true);
  } finally {
    if (mine === run) the("stop").hidden = the("progress").hidden = true;
  }
});

the("stop").addEventListener("click", () => {
  run++;
  the("stop").hidden = the("progress").hidden = true;
  say("table-said", "Stopped.");
  the("begin").focus();
});

const passes = (at) => (table.scores[at] === null || threshold() === null ? null
  : Number(shown(table.scores[at])) >= threshold() && !(the("strict").checked && table.contradicts[at]));

const differs = (at) => (table.scores[at] === null ? [] : table.differences[at]).join("; ").replaceAll(".; ", ". ");

function saySummary() {
  const scored = table.scores.filter((score) => score !== null);
  const mean = scored.reduce((sum, score) => sum + score, 0) / (scored.length || 1);
  const passed = table.scores.filter((_, at) => passes(at)).length;
  const long = table.pairs.filter((pair) => pair.some(isTooLong)).length, blank = table.scores.length - scored.length - long;
  const count = (value) => value.toLocaleString("en"), isBad = threshold() === null;
  const marked = `${count(passed)} of ${count(scored.length)} pass, mean score ${mean.toFixed(2)}`;
  say("table-said", (isBad ? "Pass from: type a number from 0 to 5; nothing is marked" : marked) +
    (blank ? `; ${count(blank)} without a text on one side: no score` : "") +
    (long ? `; ${count(long)} with more than ${count(limits.characters)} characters: no score` : "") +
    (table.warning ? `. ${table.warning}` : ""), isBad);
}

function sortTable(by, down) {
  Object.assign(table, { by, down });
  const value = {
    row: (at) => at, score: (at) => table.scores[at] ?? -1, pass: (at) => passes(at) ?? -1,
    differs: (at) => table.differences[at][0] ?? `\uffff${differs(at)}`, left: (at) => table.pairs[at][0], right: (at) => table.pairs[at][1],
  }[by];
  const compare = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
  const order = table.pairs.map((_, at) => at).sort((a, b) => (down ? compare(b, a) : compare(a, b)) || a - b);
  the("rows").replaceChildren(...order.slice(0, LINES).map((at) => {
    const passed = passes(at), [left, right] = table.pairs[at];
    const number = (value) => (value === null ? "–" : shown(value)), low = table.low[at] ?? null;
    const interval = low === null ? "–" : `${number(low)} to ${number(table.high[at])}`;
    const mark = passed === null ? "–" : passed ? "✓ pass" : "✗ fail";
    const cells = { Id: table.ids[at], Score: number(table.scores[at]), "Likely range": interval, Pass: mark, "What differs": differs(at) || "–", First: left, Second: right };
    return make("tr", { class: passed === null ? "" : passed ? "passed" : "failed" },
      ...Object.entries(cells).map(([name, cell]) => make("td", { "data-name": name }, make("span", {}, cell))));
  }));
  the("shown").textContent = order.length > LINES ? `The first ${LINES} of ${order.length.toLocaleString("en")} in this order; the download has all.` : "";
  for (const button of document.querySelectorAll("th button")) {
    const sorted = button.dataset.by === by;
    button.parentElement.setAttribute("aria-sort", sorted ? (down ? "descending" : "ascending") : "none");
  }
  saySummary();
}

for (const button of document.querySelectorAll("th button[data-by]")) {
  button.addEventListener("click", () => sortTable(button.dataset.by, table.by === button.dataset.by && !table.down));
}

/** The columns that are added to the file: what the page shows. */
function newColumns() {
  const rounded = (values) => values.map((value) => (value === null ? null : Number(shown(value))));
  const columns = { score: rounded(table.scores) };
  if (table.low.length) Object.assign(columns, { score_low: rounded(table.low), score_high: rounded(table.high) });
  const pass = table.scores.map((_, at) => (passes(at) === null ? null : Number(passes(at))));
  return { ...columns, pass, "what differs": table.scores.map((_, at) => differs(at)) };
}

the("download").addEventListener("click", async () => {
  try {
    const found = await ask("table", { ...table.sent, added: newColumns() });
    const content = Uint8Array.from(atob(found.content), (character) => character.charCodeAt(0));
    const link = make("a", { href: URL.createObjectURL(new Blob([content])), download: found.name });
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) { say("table-said", error.message, true); }
});

/** Read the file once more, as the person says. */
function readAgain(changed) {
  const how = { header: the("header").checked };
  if (changed === "encoding" || table.sent.encoding) how.encoding = the("encoding").value;
  if (the("delimiter").value) how.delimiter = the("delimiter").value;
  openFile(table.file, how);
}

the("chosen").addEventListener("change", () => openFile(the("chosen").files[0]));
for (const id of ["header", "encoding", "delimiter"]) the(id).addEventListener("change", () => readAgain(id));
for (const id of ["left-column", "right-column", "one-right"]) the(id).addEventListener(id === "one-right" ? "input" : "change", showFirst);
the("table-model").addEventListener("change", chooseModel);
the("calibration").addEventListener("change", () => {
  const threshold = chosenCalibration()?.threshold;
  if (threshold !== null && threshold !== undefined) the("threshold").value = threshold.toFixed(4);
});
for (const id of ["threshold", "strict"]) the(id).addEventListener("input", () => { if (!the("scored").hidden) sortTable(table.by, table.down); });
the("drop").addEventListener("dragover", (event) => { event.preventDefault(); the("drop").classList.add("over"); });
the("drop").addEventListener("dragleave", () => the("drop").classList.remove("over"));
the("drop").addEventListener("drop", (event) => {
  event.preventDefault();
  the("drop").classList.remove("over");
  openFile(event.dataTransfer.files[0]);
});
