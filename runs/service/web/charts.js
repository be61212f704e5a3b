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
      "This model compares the sentences as wholes, so it cannot say which words count.")]));
}

const KIND_OF = {
  order: "order", any_language: "order", contextual: "vectors", lsa: "vectors", paragram: "vectors",
  w2v: "vectors", soft: "vectors", exclusive: "contradictions",
  polarity: "contradictions", rule: "rules",
}; // by group; the others are about words
const kindOfFeature = ({ feature, group }) => (/_(conflict|doubt)$/.test(feature) ? "contradictions" : KIND_OF[group] ?? "words");
const KINDS = { words: "Words", order: "Order", vectors: "Meaning", contradictions: "What contradicts", rules: "Rules" };
const SHOWN = 10; // features by name; the others are added up

/** A row of bars: its name, a bar from the middle, and the number of points. */
function barRow(tag, name, value, most, note = "") {
  const bar = wide(make("div", { class: value < 0 ? "down" : "up" }), Math.abs(value) / most / 2);
  return make(tag, { class: "bar-row" }, make("span", { class: "name", title: note }, name),
    make("span", { class: "axis", "aria-hidden": "true" }, bar), make("span", { class: "value" }, signed(value)));
}

/** What moved the score up and down from that of an average pair: by kind, and the features of each. */
function featureBars(found) {
  const sum = (parts) => parts.reduce((total, part) => total + part.contribution, 0);
  const kinds = Object.entries(KINDS).map(([kind, name]) =>
    [name, found.contributions.filter((part) => kindOfFeature(part) === kind)]).filter(([, parts]) => parts.length);
  const most = Math.max(...kinds.map(([, parts]) => Math.abs(sum(parts))), 1e-9);
  return [
    make("h3", {}, "Why this score"),
    make("p", { class: "hint" }, `A typical pair has ${found.base.toFixed(2)}. These move it up or down; open one to see its parts.`),
    ...kinds.map(([name, parts]) => {
      const large = parts.filter((part, at) => at < SHOWN && Math.abs(part.contribution) >= 0.005), rest = parts.slice(large.length);
      const rows = large.map((part) => [found.names[part.feature], part.contribution, `${part.feature}: ${found.groups[part.group]}`]);
      if (rest.length) rows.push([`${rest.length} others`, sum(rest), ""]);
      const widest = Math.max(...rows.map(([, value]) => Math.abs(value)), 1e-9);
      return make("details", { class: "kind" }, barRow("summary", name, sum(parts), most),
        ...rows.map(([text, value, note]) => barRow("div", text, value, widest, note)));
    }),
  ];
}

/** What differs: first in a sentence, then the rest, and the words without whose difference the score would change most. */
function differenceCard(all) {
  const [first, ...more] = all.map((found) => found.sentences).find((said) => said.length) ?? [];
  const words = (all.find((found) => found.decisive_words.length) ?? all[0]).decisive_words.map(({ left, right, score }) => {
    const said = !left ? `“${right}” is in the second sentence only` : !right ? `“${left}” is in the first sentence only` : `“${right}” is in the place of “${left}”`;
    return `${said}: without this difference the score would be ${score.toFixed(1)}.`;
  });
  const rows = [...more, ...words], lead = first ?? "Nothing that contradicts was found.";
  return make("section", { class: "card" }, make("h2", {}, "What differs"), make("p", { class: "lead" }, lead),
    ...(rows.length ? [make("ul", {}, ...rows.map((row) => make("li", {}, row)))] : []));
}

const NEAR = 0.35;

/** How a word is matched: exchanged with another, with a partner, near to some word, or not at all. */
function kindOf(word) {
  if (word.exchanged !== null) return ["exchanged", `exchanged for “${word.exchanged}”`];
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
      make("span", {}, make("span", { class: "word exchanged" }, "exchanged"), " for a word that says something else"),
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
