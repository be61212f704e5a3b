// Parts of the page that show numbers and words. All text is set as text, never as HTML.

/** An element with attributes and children; a string becomes text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function wide(element, share) {
  element.style.width = `${100 * share}%`;
  return element;
}

const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);

/** The score of a model on its scale. */
function scoreCard(found) {
  return make("section", { class: "card" },
    make("h2", {}, found.model),
    make("div", { class: "score" }, found.score.toFixed(2), make("small", {}, " of 5")),
    make("div", { class: "track" }, wide(make("div"), found.score / 5)),
    make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, "unrelated"), make("span", {}, "the same")),
    ...(found.contributions.length ? featureBars(found) : [make("p", { class: "hint" },
      "The cosine of two sentence vectors, and nothing else.")]));
}

const SHOWN = 10; // features by name; the others are told together

/** What moved the score up and down from that of an average pair. */
function featureBars(found) {
  const top = found.contributions.slice(0, SHOWN);
  const rest = found.contributions.slice(SHOWN);
  const rows = top.map((part) => [part.feature, part.contribution, part.group]);
  if (rest.length) {
    rows.push([`${rest.length} others`, rest.reduce((sum, part) => sum + part.contribution, 0), ""]);
  }
  const most = Math.max(...rows.map(([, value]) => Math.abs(value)), 1e-9);
  const bars = make("dl", { class: "bars" });
  for (const [name, value, group] of rows) {
    const bar = wide(make("div", { class: value < 0 ? "down" : "up" }), Math.abs(value) / most / 2);
    bars.append(
      make("dt", { title: found.groups[group] ?? "" }, name),
      make("dd", { class: "axis", "aria-hidden": "true" }, bar),
      make("dd", { class: "value" }, signed(value)));
  }
  const groups = [...new Set(top.map((part) => part.group))].sort();
  const legend = make("dl", { class: "groups" });
  for (const group of groups) {
    const names = top.filter((part) => part.group === group).map((part) => part.feature);
    legend.append(make("dt", {}, names.join(", ")), make("dd", {}, found.groups[group]));
  }
  return [
    make("h3", {}, "Why"),
    make("p", { class: "hint" }, `A typical pair has ${found.base.toFixed(2)}; each feature moves it up or down.`),
    bars,
    ...differenceList(found),
    make("details", {}, make("summary", {}, "What these features look at"), legend),
  ];
}

/** What contradicts, and the words without whose difference the score would change most. */
function differenceList(found) {
  const rows = found.differences.map((said) => `They differ: ${said}`);
  for (const { left, right, score } of found.decisive_words) {
    rows.push(`Decisive words: ${left || "nothing"} ↔ ${right || "nothing"} (${score.toFixed(1)} without this difference)`);
  }
  return rows.length ? [make("ul", {}, ...rows.map((row) => make("li", {}, row)))] : [];
}

const NEAR = 0.35;

/** How a word is matched: with a partner, near to some word, or not at all. */
function kindOf(word) {
  if (word.aligned !== null) return ["aligned", `matched with “${word.aligned}”`];
  if (word.similarity >= NEAR) return ["near", `near “${word.best}”`];
  return ["alone", "no match"];
}

/** A sentence whose words are coloured by how they are matched. */
function colouredSentence(side) {
  const characters = [...side.text], line = make("p", { class: "words" });
  let at = 0;
  for (const word of side.words) {
    const [kind, said] = kindOf(word);
    const title = `${said}, similarity ${word.similarity.toFixed(2)}`;
    line.append(characters.slice(at, word.start).join(""),
      make("span", { class: `word ${kind}`, title }, characters.slice(word.start, word.end).join("")));
    at = word.end;
  }
  line.append(characters.slice(at).join(""));
  return line;
}

/** Both sentences, and the same as a table for those who do not see colours. */
function wordCard(words) {
  const body = make("tbody");
  for (const [name, side] of [["first", words.left], ["second", words.right]]) {
    for (const word of side.words) {
      body.append(make("tr", {}, make("td", {}, name), make("td", {}, word.word), make("td", {}, kindOf(word)[1]),
        make("td", {}, word.similarity.toFixed(2))));
    }
  }
  const head = make("tr", {}, ...["Sentence", "Word", "Match", "Similarity"].map((name) => make("th", { scope: "col" }, name)));
  return make("section", { class: "card" },
    make("h2", {}, "Word by word"),
    colouredSentence(words.left), colouredSentence(words.right),
    make("div", { class: "legend" },
      make("span", {}, make("span", { class: "word aligned" }, "matched"), " with a word of the other side"),
      make("span", {}, make("span", { class: "word near" }, "near"), " one, which has another partner"),
      make("span", {}, make("span", { class: "word alone" }, "no match"))),
    make("details", {}, make("summary", {}, "As a table"),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Words and their matches" },
        make("table", {}, make("thead", {}, head), body))));
}

const BINS = 10;

/** How many pairs have which score. */
function histogram(scores) {
  const counts = new Array(BINS).fill(0);
  for (const score of scores) counts[Math.min(BINS - 1, Math.floor(score / 5 * BINS))]++;
  const most = Math.max(...counts, 1), list = make("ol", { class: "histogram", "aria-label": "Number of pairs by score" });
  counts.forEach((count, at) => {
    const low = at * 5 / BINS, bar = make("div", { class: "bar" });
    bar.style.height = `${70 * count / most}%`;
    list.append(make("li", { "aria-label": `${low} to ${low + 5 / BINS}: ${count}` },
      make("span", {}, count ? String(count) : ""), bar, make("span", {}, String(low))));
  });
  return list;
}
