// Keys, drafts, and saving without a new page. Everything works without this file, too.
"use strict";

const form = () => document.getElementById("item");
const fieldsets = () => [...form().querySelectorAll("fieldset")].filter(set => !set.hidden);
const inputs = set => [...set.querySelectorAll("label input")].filter(input => !input.closest("label").hidden);
const chosen = name => [...form().querySelectorAll("input, textarea")]
  .filter(input => input.name === name && (input.type !== "radio" && input.type !== "checkbox" || input.checked))
  .map(input => input.value);

// Which questions are asked, and which options are offered, after the answers so far.
function arrange() {
  for (const set of form().querySelectorAll("fieldset")) {
    const shown = JSON.parse(set.dataset.when).every(({question, values}) => {
      const before = form().querySelector(`fieldset[data-question="${question}"]`);
      return before && !before.hidden && chosen(question).some(value => values.includes(value));
    });
    set.hidden = !shown;
    set.disabled = !shown;
    if (set.dataset.within) {
      const kept = chosen(set.dataset.within);
      for (const input of set.querySelectorAll("label input")) {
        input.closest("label").hidden = !kept.includes(input.value);
      }
    }
  }
}

const answered = set => {
  if (["multi", "spans", "text"].includes(set.dataset.kind)) return true;
  return inputs(set).some(input => input.checked);
};

function activate(set) {
  for (const other of form().querySelectorAll("fieldset.active")) other.classList.remove("active");
  if (set) set.classList.add("active");
}
const active = () => fieldsets().find(set => set.classList.contains("active"));
const activateNext = () => activate(fieldsets().find(set => !answered(set)) || active() || fieldsets()[0]);

function move(step) {
  const sets = fieldsets(), here = active();
  // words are entered first, then left: until one of them has the focus, no key chooses one
  const enter = here?.dataset.kind === "spans" && !here.contains(document.activeElement);
  const place = enter ? sets.indexOf(here)
    : Math.min(Math.max(sets.indexOf(here) + step, 0), sets.length - 1);
  activate(sets[place]);
  sets[place].querySelector("label input, textarea")?.focus();
}

function moveWord(step) {
  const words = active()?.dataset.kind === "spans" ? inputs(active()) : [];
  words[words.indexOf(document.activeElement) + step]?.focus();
  return words.length > 0;
}

// Drafts: what has been filled in is kept a moment later.
let timer = 0;
function say(text) {
  const place = document.getElementById("saved");
  if (place) place.textContent = text;
}
function saveDraftSoon() {
  if (!form().dataset.draft) return;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    try {
      const body = new URLSearchParams(new FormData(form()));
      const answer = await fetch(form().dataset.draft, {method: "POST", body, keepalive: true});
      say(answer.ok ? "draft saved" : "draft not saved");
    } catch { say("draft not saved: no connection"); }
  }, 300);
}

// Saving: one request stores the answers and brings the next item.
let sending = false;
async function send(event) {
  if (!form().dataset.draft) return;            // a change is sent as any form is
  event.preventDefault();
  if (sending) return;
  sending = true;
  clearTimeout(timer);
  const body = new URLSearchParams(new FormData(form()));
  body.set("action", event.submitter?.value || "submit");
  say("saving …");
  try {
    const answer = await fetch(location.pathname, {method: "POST", body, headers: {"X-Trope": "next"}});
    if (answer.status === 503) {                // the form stays as it is, to be sent again
      say("not saved: the service cannot save anything right now; press Enter to try again");
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
    if (answer.redirected) history.replaceState(null, "", answer.url);   // another stage: its own address
    if (form()) say(answer.ok ? "saved" : "");
    begin();
    window.scrollTo(0, 0);
  } catch {
    say("not saved: no connection; press Enter to try again");
  } finally { sending = false; }
}

let minus = false;
function choose(key) {
  const set = active();
  if (!set) return false;
  const wanted = minus ? `-${key}` : key;
  minus = false;
  const input = inputs(set).find(each => each.dataset.key === wanted);
  if (!input) return false;
  input.type === "checkbox" ? input.click() : (input.checked = true);
  input.dispatchEvent(new Event("change", {bubbles: true}));
  return true;
}

function press(event) {
  if (event.altKey || event.metaKey) return;
  if (!form()) {                                // after the last item
    if (event.key === "u") document.getElementById("undo")?.click();
    return;
  }
  const typing = event.target.matches("textarea, input:not([type=radio]):not([type=checkbox])");
  if (sending && !typing && (event.key === "Enter" || event.key.length === 1)) {
    event.preventDefault();                     // what was sent stays as it was sent
    return;
  }
  if (event.key === "Enter" && (!typing || event.ctrlKey)) {
    if (event.target.matches("button, a, summary")) return;
    event.preventDefault();
    form().requestSubmit(document.getElementById("submit"));
    return;
  }
  if (typing || event.ctrlKey) return;
  const actions = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    "-": () => { minus = true; },
    "?": () => { const help = document.getElementById("help"); help.open = !help.open; if (help.open) help.querySelector("summary").focus(); },
    s: () => document.getElementById("skip")?.click(),
    u: () => document.getElementById("undo")?.click(),
    b: () => document.getElementById("earlier")?.click(),
  };
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    if (moveWord(event.key === "ArrowRight" ? 1 : -1)) event.preventDefault();
  } else if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
  else if (event.key.length === 1 && choose(event.key)) event.preventDefault();
}

function begin() {
  if (!form()) { document.querySelector("main [autofocus]")?.focus(); return; }
  form().addEventListener("change", event => {
    arrange();
    const set = event.target.closest("fieldset");
    activate(set);
    if (event.target.type === "radio") activateNext();
    saveDraftSoon();
  });
  form().addEventListener("input", saveDraftSoon);
  form().addEventListener("focusin", event => {
    const set = event.target.closest("fieldset");
    if (set) activate(set);
  });
  form().addEventListener("submit", send);
  arrange();
  activateNext();
}

document.addEventListener("keydown", press);
begin();
