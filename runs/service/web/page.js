"use strict";
// What a person does on the page, and what the server is asked.

const the = (id) => document.getElementById(id);
const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
let limits = { pairs: 1000, characters: 8000, bytes: 1e6 }, served = { models: [], calibrations: [] };

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
    the("found").replaceChildren(differenceCard(found), wordCard(found[0].words), make("div", { class: "cards" }, ...found.map(scoreCard)));
    const warning = found.map((one) => one.warning).find((text) => text);
    say("said", found.map((one) => `${one.model}: ${one.score.toFixed(2)} of 5`).join("; ") + (warning ? `. ${warning}` : ""));
  } catch (error) {
    if (number === asked) { say("said", error.message, true); the("found").replaceChildren(); }
  }
});
the("compare").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) the("compare").requestSubmit();
});

// At the start

const ABOUT = { contextual: "most accurate", fusion: "ten times faster, less accurate", raw: "quick and rough" };

ask("health").then((found) => {
  limits = found.limits;
  found.models.forEach(({ name }, at) => {
    const box = make("input", { type: "checkbox", value: name, ...(at ? {} : { checked: "" }) });
    const said = name + (ABOUT[name] ? `: ${ABOUT[name]}` : "");
    the("models").append(make("label", { class: "inline" }, box, said));
    the("table-model").append(make("option", { value: name }, said));
  });
  served = found;
  chooseModel();
}).catch((error) => say("said", error.message, true));
