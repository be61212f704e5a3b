// What a person does on the page, and what the server is asked.

const the = (id) => document.getElementById(id);
const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
let limits = { pairs: 1000, characters: 8000, bytes: 1e6 };

/** Ask the server; an Error holds its sentence. Waits and asks again while it is busy. */
async function ask(path, body) {
  for (let tries = 0; ; tries++) {
    const headers = { "Content-Type": "application/json" }, token = sessionStorage.getItem("token");
    if (token) headers.Authorization = `Bearer ${token}`;
    let answer;
    try {
      answer = await fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body) } : {});
    } catch {
      throw new Error("The server does not answer; is it still running?");
    }
    if (answer.status === 503 && tries < 30) {
      await wait(Number(answer.headers.get("Retry-After")) || 1);
      continue;
    }
    const found = await answer.json();
    if (answer.ok) return found;
    if (answer.status === 401) { the("access").hidden = false; the("token").focus(); }
    throw new Error(found.error.message);
  }
}

function say(id, text, isError = false) {
  the(id).textContent = text;
  the(id).classList.toggle("error", isError);
}

// Tabs

const tabs = [...document.querySelectorAll("[role=tab]")];
function openTab(tab) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", chosen);
    other.tabIndex = chosen ? 0 : -1;
    the(other.getAttribute("aria-controls")).hidden = !chosen;
  }
  tab.focus();
}
tabs.forEach((tab, at) => {
  tab.addEventListener("click", () => openTab(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) openTab(tabs[(at + step + tabs.length) % tabs.length]);
  });
});

the("access").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", the("token").value);
  the("access").hidden = true;
});

// Two sentences

let asked = 0;
the("compare").addEventListener("submit", async (event) => {
  event.preventDefault();
  const number = ++asked;
  const models = [...document.querySelectorAll("#models input:checked")].map((box) => box.value);
  if (!models.length) { say("said", "Choose a model.", true); return; }
  const pair = { left: the("left").value, right: the("right").value };
  say("said", "Comparing …");
  try {
    const found = await Promise.all(models.map((model) => ask("explain", { ...pair, model })));
    if (number !== asked) return; // a later question is on its way
    the("found").replaceChildren(wordCard(found[0].words), make("div", { class: "cards" }, ...found.map(scoreCard)));
    const warning = found.map((one) => one.warning).find((text) => text);
    say("said", found.map((one) => `${one.model}: ${one.score.toFixed(2)} of 5`).join("; ") + (warning ? `. ${warning}` : ""));
  } catch (error) {
    if (number === asked) { say("said", error.message, true); the("found").replaceChildren(); }
  }
});
the("compare").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) the("compare").requestSubmit();
});

// A file of pairs

const table = { name: "", parsed: null, columns: [], rows: [], pairs: [], scores: [], by: "row", down: false };
let run = 0;
const LINES = 500; // of the table on the page

async function openFile(file) {
  if (!file) return;
  run++; // what runs on another file stops
  the("scored").hidden = the("columns").hidden = true;
  the("begin").disabled = true;
  try {
    const parsed = parseTable(file.name, new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
    if (!parsed.rows.length) throw new Error("the file is empty");
    Object.assign(table, { name: file.name, parsed });
  } catch (error) {
    const message = error instanceof TypeError ? "the file is not UTF-8 text" : error.message;
    say("table-said", `${file.name}: ${message}`, true);
    return;
  }
  the("header").checked = Boolean(table.parsed.named);
  the("header").parentElement.hidden = Boolean(table.parsed.columns);
  nameColumns();
}

function nameColumns() {
  const { parsed } = table, first = parsed.rows[0], named = the("header").checked;
  table.columns = parsed.columns ?? (named ? first : first.map((_, at) => `column ${at + 1}`));
  table.rows = named && !parsed.columns ? parsed.rows.slice(1) : parsed.rows;
  const chosen = knownColumns(table.columns) ?? [0, 1];
  ["left-column", "right-column"].forEach((id, side) => {
    the(id).replaceChildren(...table.columns.map((name, at) => make("option", { value: at }, name)));
    the(id).value = chosen[side];
  });
  const enough = table.columns.length > 1;
  the("columns").hidden = the("scored").hidden = true;
  the("columns").hidden = !enough;
  the("begin").disabled = !enough || !table.rows.length;
  if (enough) say("table-said", `${table.name}: ${table.rows.length.toLocaleString("en")} pairs`);
  else say("table-said", `${table.name}: one column; a pair needs two`, true);
}

/** Chunks of pairs that fit into a request; a sentence that is too long is left out as blank. */
function* chunksOf(pairs) {
  const most = Math.min(200, limits.pairs), size = new TextEncoder();
  let chunk = [], bytes = 0;
  for (const pair of pairs) {
    const fits = pair.map((text) => [...text].length <= limits.characters ? text : "");
    const length = size.encode(JSON.stringify(fits)).length + 1;
    if (chunk.length === most || (chunk.length && bytes + length > 0.9 * limits.bytes)) {
      yield chunk;
      chunk = []; bytes = 0;
    }
    chunk.push(fits);
    bytes += length;
  }
  if (chunk.length) yield chunk;
}

the("table").addEventListener("submit", async (event) => {
  event.preventDefault();
  const number = ++run, [left, right] = ["left-column", "right-column"].map((id) => Number(the(id).value));
  table.pairs = table.rows.map((row) => [row[left] ?? "", row[right] ?? ""]);
  table.scores = [];
  the("stop").hidden = the("progress").hidden = false;
  the("scored").hidden = true;
  say("table-said", "Scoring …");
  try {
    for (const pairs of chunksOf(table.pairs)) {
      const found = await ask("score", { pairs, model: the("table-model").value, empty: "null" });
      if (number !== run) return;
      table.scores.push(...found.scores);
      the("progress").value = table.scores.length / table.pairs.length;
    }
    showTable();
  } catch (error) {
    if (number === run) say("table-said", error.message, true);
  } finally {
    if (number === run) the("stop").hidden = the("progress").hidden = true;
  }
});

the("stop").addEventListener("click", () => {
  run++;
  the("stop").hidden = the("progress").hidden = true;
  say("table-said", "Stopped.");
  the("begin").focus();
});

function showTable() {
  const scored = table.scores.filter((score) => score !== null);
  const mean = scored.reduce((sum, score) => sum + score, 0) / (scored.length || 1);
  const blank = table.scores.length - scored.length;
  const pairs = scored.length === 1 ? "pair" : "pairs";
  say("table-said", `${scored.length.toLocaleString("en")} ${pairs} scored, mean ${mean.toFixed(2)}` +
    (blank ? `; ${blank.toLocaleString("en")} without a score: blank or too long` : ""));
  the("histogram").replaceChildren(histogram(scored));
  the("scored").hidden = false;
  sortTable("row", false);
}

function sortTable(by, down) {
  Object.assign(table, { by, down });
  const value = {
    row: (at) => at, score: (at) => table.scores[at] ?? -1,
    left: (at) => table.pairs[at][0], right: (at) => table.pairs[at][1],
  }[by];
  const compare = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
  const order = table.pairs.map((_, at) => at).sort((a, b) => (down ? compare(b, a) : compare(a, b)) || a - b);
  the("rows").replaceChildren(...order.slice(0, LINES).map((at) => {
    const score = table.scores[at], [left, right] = table.pairs[at];
    return make("tr", {}, ...[String(at + 1), score === null ? "–" : score.toFixed(2), left, right].map((cell) => make("td", {}, cell)));
  }));
  the("shown").textContent = order.length > LINES ? `The first ${LINES} of ${order.length.toLocaleString("en")} in this order; the download holds all.` : "";
  for (const button of document.querySelectorAll("th button")) {
    const sorted = button.dataset.by === by;
    button.parentElement.setAttribute("aria-sort", sorted ? (down ? "descending" : "ascending") : "none");
  }
}

for (const button of document.querySelectorAll("th button[data-by]")) {
  button.addEventListener("click", () => sortTable(button.dataset.by, table.by === button.dataset.by && !table.down));
}

the("download").addEventListener("click", () => {
  const rows = table.rows.map((row, at) => [...row, table.scores[at] === null ? "" : String(table.scores[at])]);
  const link = make("a", {
    href: URL.createObjectURL(new Blob([toCsv([[...table.columns, "score"], ...rows])], { type: "text/csv" })),
    download: table.name.replace(/\.[^.]*$/, "") + ".scored.csv",
  });
  link.click();
  URL.revokeObjectURL(link.href);
});

the("chosen").addEventListener("change", () => openFile(the("chosen").files[0]));
the("header").addEventListener("change", nameColumns);
the("drop").addEventListener("dragover", (event) => { event.preventDefault(); the("drop").classList.add("over"); });
the("drop").addEventListener("dragleave", () => the("drop").classList.remove("over"));
the("drop").addEventListener("drop", (event) => {
  event.preventDefault();
  the("drop").classList.remove("over");
  openFile(event.dataTransfer.files[0]);
});

// At the start

ask("health").then((found) => {
  limits = found.limits;
  found.models.forEach(({ name }) => {
    const box = make("input", { type: "checkbox", value: name, checked: "" });
    the("models").append(make("label", { class: "inline" }, box, name));
    the("table-model").append(make("option", { value: name }, name));
  });
}).catch((error) => say("said", error.message, true));
