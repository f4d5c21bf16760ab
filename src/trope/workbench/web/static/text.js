// The text view with mouse and keyboard: words, the panel beside them, rewrites, copies.
const shown = document.getElementById("words");
const panel = document.getElementById("panel");
const words = [...shown.querySelectorAll("a.w")];
let here = words[0];

// Only one word is in the tab order; arrow keys move from there.
for (const word of words) word.tabIndex = -1;
if (here) here.tabIndex = 0;
document.getElementById("keys").hidden = false;

function stand(word, focus = true) {
  if (!word) return;
  here.tabIndex = -1;
  here = word;
  here.tabIndex = 0;
  if (focus) here.focus();
}

const threshold = () =>
  Number(getComputedStyle(document.documentElement).getPropertyValue("--from"));
const score = word => word.querySelector(".f, .name.other") ? Infinity
  : Number(word.querySelector(".m")?.className.match(/\bp(\d+)/)?.[1] ?? -1);
const place = () => words.indexOf(here);

function nextFigure(step) {
  const from = threshold();
  for (let at = place() + step; at >= 0 && at < words.length; at += step) {
    if (score(words[at]) >= from) return words[at];
  }
  return null;
}

function nextSentence(step) {
  let sentence = here.closest(".sentence");
  do sentence = step > 0 ? sentence.nextElementSibling : sentence.previousElementSibling;
  while (sentence && !sentence.querySelector("a.w"));
  return sentence?.querySelector("a.w");
}

const moves = {
  ArrowRight: () => words[place() + 1],
  ArrowLeft: () => words[place() - 1],
  ArrowDown: () => nextSentence(1),
  ArrowUp: () => nextSentence(-1),
  Home: () => words[0],
  End: () => words[words.length - 1],
  n: () => nextFigure(1),
  p: () => nextFigure(-1),
};

shown.addEventListener("keydown", event => {
  const move = moves[event.key];
  if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  stand(move());
});

// The panel: loads the address of a word and shows it beside the text.
const numberOf = link => new URL(link.href).searchParams.get("word");

async function open(link) {
  const word = document.getElementById(`w${numberOf(link)}`);
  const answer = await fetch(link.href, {headers: {"X-Trope": "panel"}});
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  panel.replaceChildren(...(answer.ok ? page.body : page.querySelector("main")).childNodes);
  panel.classList.remove("empty");
  choose(word);
  dress();
  panel.scrollTop = 0;
  word?.scrollIntoView({block: "nearest"});    // on a phone the panel would cover it
  panel.focus({preventScroll: true});
}

function choose(word) {
  shown.querySelector("[aria-current]")?.removeAttribute("aria-current");
  if (!word) return;
  word.setAttribute("aria-current", "true");
  stand(word, false);
}

function close() {
  choose(null);
  panel.classList.add("empty");
  const hint = document.createElement("p");
  hint.className = "note";
  hint.textContent = panel.dataset.hint;
  panel.replaceChildren(hint);
  here?.focus();
}

document.addEventListener("click", event => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("a.w, #panel a, .found a");
  if (!link) return;
  event.preventDefault();
  if (link.classList.contains("close")) close();
  else open(link);
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && !panel.classList.contains("empty")) close();
});

// Rewrites are loaded when they are opened.
function dress() {
  for (const each of panel.querySelectorAll("details[data-to]")) {
    each.hidden = false;
    each.addEventListener("toggle", () => { if (each.open) rewrite(each); }, {once: true});
  }
  panel.querySelector(".without-script")?.remove();
  for (const each of panel.querySelectorAll(".arcs")) {
    const {words, tags, heads, labels} = JSON.parse(each.dataset.tree);
    const svg = drawTree(words, tags, heads, labels);
    if (!svg) { each.textContent = `Arcs over more than ${LONGEST} words are not drawn.`; continue; }
    const frame = document.createElement("div");
    Object.entries({class: "scroll", tabindex: 0, role: "region", "aria-label": "Tree"}).forEach(([name, value]) => frame.setAttribute(name, value));
    frame.append(svg);
    each.replaceChildren(frame);
  }
}

async function rewrite(details) {
  const place = details.querySelector("[role=status]");
  const {text, to, verb, kind} = details.dataset;
  place.textContent = "…";
  try {
    const answer = await fetch("/api/rewrite", {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify({text, to, verb, kind}),
    });
    const found = await answer.json();
    if (found.error) place.textContent = found.error.message;
    else place.replaceChildren(table(found.rewritings[0].candidates));
  } catch { place.textContent = "no answer; check that trope serve is still running"; }
}

function table(candidates) {
  if (!candidates.length) return document.createTextNode("no candidate found");
  const made = document.createElement("table");
  row(made, "th", ["instead", "fit", "meaning", "metaphor"]);
  for (const each of candidates) {
    const fit = (each.fit < 0 ? "−" : "+") + Math.abs(each.fit).toFixed(2);
    row(made, "td", [each.form, fit, each.meaning.toFixed(2), each.metaphor.toFixed(2)]);
  }
  return made;
}

function row(made, kind, cells) {
  const line = made.insertRow();
  cells.forEach((content, number) => {
    const cell = document.createElement(number ? kind : "th");
    if (kind === "th") cell.scope = "col";
    else if (!number) cell.scope = "row";
    else cell.className = "count";
    cell.textContent = content;
    line.append(cell);
  });
}

// Copy buttons, and links from bars to their sentences.
const copied = document.getElementById("copied");
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      const answer = await fetch(button.dataset.from);
      await navigator.clipboard.writeText(await answer.text());
      copied.textContent = `${button.textContent.replace("Copy ", "")} copied`;
    } catch { copied.textContent = "not copied: the browser does not allow it; download the file instead"; }
  });
}
document.querySelector(".strip")?.addEventListener("click", event => {
  const bar = event.target.closest("[data-sentence]");
  const word = bar && document.querySelector(`#s${bar.dataset.sentence} a.w`);
  if (word) { stand(word); word.scrollIntoView({block: "center"}); }
});

dress();
if (!panel.classList.contains("empty")) choose(document.getElementById(`w${numberOf(location)}`));
