// The page of an analysis: filters of the figures, and what is drawn when it is switched on.
const byId = id => document.getElementById(id);
const articles = [...document.querySelectorAll("article")];
const letters = text => [...text];    // offsets are code points

function make(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

// ---- figures: kinds, scores and the order of the lists
const boxes = [...document.querySelectorAll(".kinds input")];
const least = byId("least"), order = byId("order"), count = byId("count");
const marks = [...document.querySelectorAll(".prose .f")];
const entries = [...document.querySelectorAll(".found > li[data-score]")];

function filter() {
  const kinds = new Set(boxes.filter(box => box.checked).map(box => box.value));
  const from = Number(least.value);
  const on = each => kinds.has(each.dataset.kind) && Number(each.dataset.score) >= from;
  let shown = 0;
  for (const each of entries) shown += on(each) ? 1 : 0, each.hidden = !on(each);
  for (const each of marks) each.classList.toggle("off", !on(each)), each.tabIndex = on(each) ? 0 : -1;
  byId("from").textContent = (from / 100).toFixed(2);
  count.textContent = shown === entries.length ? "" : `${shown.toLocaleString("en")} of ${entries.length.toLocaleString("en")} figures shown`;
}

function arrange() {
  const key = order.value === "text" ? each => Number(each.dataset.place) : each => Number(each.dataset.rank);
  for (const list of document.querySelectorAll(".found"))
    list.append(...[...list.children].sort((a, b) => key(a) - key(b)));
}

for (const box of boxes) box.addEventListener("change", filter);
least?.addEventListener("input", filter);
order?.addEventListener("change", arrange);

// n and p go to the next and the previous figure
document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select")) return;
  const step = {n: 1, p: -1}[event.key];
  if (!step) return;
  const shown = marks.filter(each => !each.classList.contains("off"));
  const here = document.activeElement.closest(".prose .f");
  const next = here ? shown[shown.indexOf(here) + step] : shown.at(step > 0 ? 0 : -1);
  next?.focus();
  next?.scrollIntoView({block: "center"});
});

// ---- the data of a text, read when it is first needed
const reasons = JSON.parse(byId("reasons")?.textContent ?? "{}");

function read(article) {
  if (article.data) return article.data;
  const data = article.data = JSON.parse(article.querySelector("script").textContent);
  const {gaps, lengths} = data.words;
  let at = 0;
  data.places = gaps.map((gap, n) => { const start = at + gap; at = start + lengths[n]; return [start, at]; });
  let first = 0;
  data.spans = data.sentences.map(size => { const span = [first, first + size]; first += size; return span; });
  let from = 0;
  data.blocks = [...article.querySelectorAll(".prose > p")].map((paragraph, n) => {
    const [start, until] = data.paragraphs[n];
    const block = {paragraph, start, sentences: data.spans.slice(from, until), number: from};
    from = until;
    return block;
  });
  const texts = data.blocks.map(({paragraph, start}) => [start, letters(paragraph.textContent)]);
  let block = 0;
  data.forms = data.places.map(([start, end]) => {
    while (block + 1 < texts.length && texts[block + 1][0] <= start) block++;
    return texts[block][1].slice(start - texts[block][0], end - texts[block][0]).join("");
  });
  return data;
}

const named = (data, column, n) => data.syntax[`${column}_names`][data.syntax[column][n]];
const lemma = (data, n) => data.syntax.lemmas[n] || data.forms[n].toLowerCase();
const score = (data, n) => data.scores ? (data.scores[n] / 100).toFixed(2) : "";

// ---- what the switches draw, for the paragraphs in the window
const GROUPS = {NOUN: "wn", PROPN: "wn", PRON: "wn", VERB: "wv", AUX: "wv", ADJ: "wa", ADV: "wa", ADP: "wf",
                DET: "wf", CCONJ: "wf", SCONJ: "wf", PART: "wf", NUM: "wx", INTJ: "wx", SYM: "wx", X: "wx"};

function drawClasses(data, block) {
  if (!data.syntax) return;
  const first = data.places.findIndex(([start]) => start >= block.start);
  let at = block.start, n = first;
  const walker = document.createTreeWalker(block.paragraph, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) {
    const text = letters(node.data), parts = [];
    let done = 0;
    for (; n >= 0 && n < data.places.length && data.places[n][0] < at + text.length; n++) {
      const [start, end] = data.places[n].map(place => place - at);
      const tag = named(data, "upos", n);
      if (!(tag in GROUPS) || start < done) continue;
      const title = [lemma(data, n), tag, named(data, "xpos", n), score(data, n) && `metaphor ${score(data, n)}`];
      const word = make("span", {class: `w ${GROUPS[tag]}`, "data-tag": tag, title: title.filter(Boolean).join(" · ")},
                        text.slice(start, end).join(""));
      parts.push(text.slice(done, start).join(""), word);
      done = end;
    }
    at += text.length;
    if (parts.length) node.replaceWith(...parts, text.slice(done).join(""));
  }
}

function below(block, name) {
  block.more ??= block.paragraph.parentElement.insertBefore(make("div", {class: "more"}), block.paragraph.nextSibling);
  const made = make("div", {class: name});
  block.more.append(made);
  return made;
}

function drawRelations(data, block) {
  const rows = (data.relations ?? []).slice(block.number, block.number + block.sentences.length).flat();
  const list = make("ul", {class: "relations"});
  for (const [kind, words, notes, reason] of rows) {
    const verdict = reason ? make("span", {class: "left-out", title: reasons[reason] ?? ""}, `left out: ${reason}`) : make("span", {class: "kept"}, "kept");
    list.append(make("li", {}, make("span", {class: "kind"}, kind), " ", make("bdi", {}, words), " ", verdict, " ", make("small", {}, notes)));
  }
  below(block, "shows-relations").append(rows.length ? list : make("p", {class: "none"}, "No verb with an object."));
}

function drawTrees(data, block) {
  if (!data.syntax) return;
  const holder = below(block, "shows-trees");
  block.sentences.forEach(([first, last], n) => {
    const places = Array.from({length: last - first}, (_, k) => first + k);
    const column = name => places.map(place => named(data, name, place));
    const words = places.map(place => data.forms[place]), heads = data.syntax.heads.slice(first, last);
    const svg = drawTree(words, column("upos"), heads, column("deprel"));
    const name = `sentence ${(block.number + n + 1).toLocaleString("en")}`;
    const table = make("details", {}, make("summary", {}, `Table of ${name}`));
    table.addEventListener("toggle", () => table.append(wordTable(data, places, words, heads, name)), {once: true});
    const arcs = svg ? scroller(`Tree of ${name}`, svg) : make("p", {class: "none"}, `Arcs over more than ${LONGEST} words are not drawn.`);
    holder.append(make("div", {class: "tree"}, arcs, table));
  });
}

const scroller = (label, inside) => make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label}, inside);

function wordTable(data, places, words, heads, name) {
  const table = make("table");
  const row = (kind, cells) => table.append(make("tr", {}, ...cells.map(cell => make(kind, kind === "th" ? {scope: "col"} : {}, cell))));
  row("th", ["", "word", "class", "tag", "lemma", "relation", ...(data.scores ? ["metaphor"] : [])]);
  places.forEach((place, n) => {
    const to = heads[n] < 0 ? "" : ` of ${heads[n] + 1} ${words[heads[n]]}`;
    row("td", [`${n + 1}`, words[n], named(data, "upos", place), named(data, "xpos", place), lemma(data, place),
               named(data, "deprel", place) + to, ...(data.scores ? [score(data, place)] : [])]);
  });
  return scroller(`Words of ${name}`, table);
}

const switches = {classes: drawClasses, trees: drawTrees, relations: drawRelations};
const isOn = name => byId(name)?.checked;

const watcher = new IntersectionObserver(seen => {
  for (const {target, isIntersecting} of seen) if (isIntersecting) draw(target);
}, {rootMargin: "400px"});

function draw(paragraph) {
  const data = read(paragraph.closest("article"));
  const block = data.blocks.find(each => each.paragraph === paragraph);
  block.drawn ??= new Set();
  for (const [name, drawNow] of Object.entries(switches)) {
    if (!isOn(name) || block.drawn.has(name)) continue;
    block.drawn.add(name);
    drawNow(data, block);
  }
}

function turn() {
  const names = Object.keys(switches);
  for (const name of names) document.body.classList.toggle(`with-${name}`, Boolean(isOn(name)));
  watcher.disconnect();
  if (names.some(isOn))
    for (const each of document.querySelectorAll(".prose > p")) watcher.observe(each);
}

for (const name of Object.keys(switches)) byId(name)?.addEventListener("change", turn);
turn();    // a page may come with some of them on

// ---- histograms, drawn when the statistics are opened
function histogram(caption, counts, labels) {
  const most = Math.max(1, ...counts), wide = 34, high = 90;
  const said = counts.map((number, n) => `${labels[n]}: ${number}`).join(", ");
  const svg = drawn("svg", {viewBox: `0 0 ${wide * counts.length} ${high + 34}`, role: "img", "aria-label": `${caption}. ${said}`, class: "bars"});
  counts.forEach((number, n) => {
    const tall = Math.max(number ? 1 : 0, high * number / most), middle = wide * (n + .5);
    svg.append(drawn("rect", {x: wide * n + 2, y: 14 + high - tall, width: wide - 4, height: tall, rx: 2}));
    if (number) svg.append(drawn("text", {x: middle, y: 10 + high - tall}, number.toLocaleString("en")));
    svg.append(drawn("text", {class: "t", x: middle, y: high + 28}, labels[n]));
  });
  return make("figure", {}, make("figcaption", {}, caption), svg);
}

byId("statistics")?.addEventListener("toggle", () => {
  const place = byId("histograms");
  const tenths = Array.from({length: 10}, (_, n) => (n / 10).toFixed(1));
  const scores = new Array(10).fill(0);
  for (const each of entries) scores[Math.min(9, Math.floor(Number(each.dataset.score) / 10))]++;
  if (entries.length) place.append(histogram("Figures by score (from)", scores, tenths));
  const moods = new Array(11).fill(0);
  for (const article of articles)
    for (const mood of read(article).sentiments ?? []) moods[Math.round(Math.max(-5, Math.min(5, mood))) + 5]++;
  if (moods.some(Boolean))
    place.append(histogram("Sentences by sentiment", moods, moods.map((_, n) => `${n > 5 ? "+" : ""}${n - 5}`.replace("-", "−"))));
}, {once: true});

for (const each of document.querySelectorAll(".scripted")) each.hidden = false;
