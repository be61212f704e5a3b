"use strict";
// Tables of pairs: from the text of a file to rows, and back to CSV.

const KNOWN = [["left", "right"], ["sentence1", "sentence2"], ["sentence_1", "sentence_2"],
  ["text1", "text2"], ["text_1", "text_2"], ["s1", "s2"], ["a", "b"], ["premise", "hypothesis"],
  ["question1", "question2"], ["source", "target"], ["first", "second"]];

/** Rows of cells of a CSV text; cells may be quoted and hold line breaks. */
function parseCsv(text) {
  const rows = [];
  let row = [], cell = "", quoted = false;
  const endCell = () => { row.push(cell); cell = ""; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0] !== "") rows.push(row); row = []; };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') { cell += '"'; i++; }
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === ",") endCell();
    else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (quoted) throw new Error("a quotation mark that opens a cell is never closed");
  endRow();
  return rows;
}

const linesOf = (text) => text.split(/\r?\n/).filter((line) => line !== "");

/** Names of columns, and rows, of lines of JSON. */
function parseJsonLines(text) {
  let columns = null;
  const rows = linesOf(text).map((line, at) => {
    let record;
    try { record = JSON.parse(line); } catch { throw new Error(`line ${at + 1} is not JSON`); }
    if (record === null || typeof record !== "object") throw new Error(`line ${at + 1} is no JSON object`);
    columns ??= Object.keys(record);
    return columns.map((name) => typeof record[name] === "string" ? record[name] : "");
  });
  return { columns: columns ?? [], rows };
}

/** What a file holds: all rows, and names of its columns if the format gives them. */
function parseTable(name, text) {
  text = text.replace(/^\uFEFF/, "");
  const kind = name.toLowerCase().split(".").pop();
  if (["jsonl", "ndjson", "json"].includes(kind)) return parseJsonLines(text);
  const rows = kind === "csv" ? parseCsv(text) : linesOf(text).map((line) => line.split("\t"));
  return { columns: null, rows, named: kind === "csv" || knownColumns(rows[0] ?? []) !== null };
}

/** The places of two columns with well-known names, or null. */
function knownColumns(names) {
  const lower = names.map((name) => name.trim().toLowerCase());
  for (const [left, right] of KNOWN) {
    if (lower.includes(left) && lower.includes(right)) return [lower.indexOf(left), lower.indexOf(right)];
  }
  return null;
}

/** Rows of cells as CSV text. */
function toCsv(rows) {
  const quote = (cell) => /[",\r\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell;
  return rows.map((row) => row.map(quote).join(",") + "\r\n").join("");
}
