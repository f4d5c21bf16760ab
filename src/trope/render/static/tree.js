// Draws the tree of a sentence as arcs over its words.
const SVG = "http://www.w3.org/2000/svg";
const LONGEST = 120;         // sentences with more words are not drawn: the arcs would be unreadable
const LEVEL = 26;            // height of one arc over the next, in pixels
const LETTER = 8.4, SMALL = 6.4;   // widths of a letter in words and in labels

function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// An arc for every word but the roots: short ones low, none upon another.
function stackArcs(heads) {
  const reach = arc => Math.abs(arc.head - arc.word);
  const left = arc => Math.min(arc.head, arc.word);
  const arcs = heads.map((head, word) => ({head, word})).filter(arc => arc.head >= 0);
  arcs.sort((a, b) => reach(a) - reach(b) || left(a) - left(b));
  const heights = new Array(heads.length).fill(0);   // over each gap between two words
  for (const arc of arcs) {
    const gaps = [left(arc), left(arc) + reach(arc)];
    arc.level = 1 + Math.max(0, ...heights.slice(...gaps));
    heights.fill(arc.level, ...gaps);
  }
  return arcs;
}

function shortened(word) {
  const letters = [...word];
  return letters.length <= 24 ? word : letters.slice(0, 23).join("") + "…";
}

// Where the words stand: apart enough for themselves and for a label between neighbours.
function centres(words, tags, labels, arcs) {
  const half = n => Math.max([...words[n]].length * LETTER, tags[n].length * SMALL, 24) / 2 + 8;
  const needed = {};
  for (const arc of arcs) {
    if (Math.abs(arc.head - arc.word) === 1)
      needed[Math.min(arc.head, arc.word)] = labels[arc.word].length * SMALL + 24;
  }
  const found = [];
  words.forEach((_, n) => {
    found.push(n ? found[n - 1] + Math.max(half(n - 1) + half(n), needed[n - 1] ?? 0) : half(0));
  });
  return {xs: found.map(Math.round), width: Math.round(found.at(-1) + half(words.length - 1))};
}

function drawArc(svg, arc, leaves, arrives, ground, label) {
  const top = ground - arc.level * LEVEL;
  const left = Math.min(leaves, arrives), right = Math.max(leaves, arrives);
  const bend = Math.min(8, (right - left) / 2);
  const d = `M${left} ${ground}V${top + bend}q0-${bend} ${bend}-${bend}H${right - bend}q${bend} 0 ${bend} ${bend}V${ground}`;
  svg.append(drawn("path", {d}), arrow(arrives, ground));
  svg.append(drawn("text", {class: "l", x: (left + right) / 2, y: top + 4}, label));
}

const arrow = (x, ground) => drawn("path", {class: "h", d: `M${x - 4} ${ground - 6}h8l-4 7z`});

// The drawing, or null for a sentence that is too long; lists with an entry for every word.
function drawTree(forms, tags, heads, labels) {
  if (!forms.length || forms.length > LONGEST) return null;
  const words = forms.map(shortened), arcs = stackArcs(heads);
  const {xs, width} = centres(words, tags, labels, arcs);
  const ground = (Math.max(0, ...arcs.map(arc => arc.level)) + 1) * LEVEL + 14;
  const height = ground + 44;
  const svg = drawn("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
                            "aria-label": "Tree; the table says the same in words"});
  const leaving = {};        // the longest arc leaves its word nearest to the middle
  for (const arc of [...arcs].sort((a, b) => b.level - a.level)) {
    const side = arc.word > arc.head ? 1 : -1, key = arc.head * side + (side < 0 ? -0.5 : 0);
    leaving[key] = (leaving[key] ?? 0) + 1;
    const leaves = xs[arc.head] + side * Math.min(leaving[key] * 5, 20);
    drawArc(svg, arc, leaves, xs[arc.word], ground, labels[arc.word]);
  }
  heads.forEach((head, n) => {
    if (head >= 0) return;
    svg.append(drawn("path", {d: `M${xs[n]} 22V${ground}`}), arrow(xs[n], ground));
    svg.append(drawn("text", {class: "l", x: xs[n], y: 16}, "root"));
  });
  words.forEach((word, n) => {
    svg.append(drawn("text", {x: xs[n], y: ground + 20}, word));
    svg.append(drawn("text", {class: "t", x: xs[n], y: ground + 36}, tags[n]));
  });
  return svg;
}
