// The form for a text: takes dropped files, and checks the length before sending.
const form = document.getElementById("paste");
const text = document.getElementById("text");
const fault = document.getElementById("fault");
const limit = Number(form.dataset.limit);

function complain(message) {
  fault.textContent = message;
  fault.hidden = !message;
}

function tooLong(characters) {
  return `The text has ${characters.toLocaleString("en")} characters, the limit is ${limit.toLocaleString("en")}; ` +
    "for longer texts use trope analyze --format html or trope detect";
}

async function take(file) {
  if (file.size > 4 * limit) return complain(tooLong(file.size));
  let content;
  try {
    content = new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer());
  } catch { return complain(`${file.name} is not a UTF-8 text; convert it, for example with iconv -t UTF-8`); }
  if (content.includes("\0")) return complain(`${file.name} is binary data, not text`);
  if (!content.trim()) return complain(`${file.name} is empty`);
  if (content.length > limit) return complain(tooLong(content.length));
  complain("");
  text.value = content;
  text.focus();
}

text.removeAttribute("maxlength");            // checked below, instead of silently cutting off the text
document.addEventListener("dragover", event => { event.preventDefault(); form.classList.add("over"); });
document.addEventListener("dragleave", () => form.classList.remove("over"));
document.addEventListener("drop", event => {
  event.preventDefault();
  form.classList.remove("over");
  const file = event.dataTransfer.files[0];
  if (file) take(file);
  else text.value = event.dataTransfer.getData("text/plain");
});
form.elements.file.addEventListener("change", async () => {
  const file = form.elements.file.files[0];
  if (file) await take(file);
  form.elements.file.value = "";              // its text is in the field now
});
form.addEventListener("submit", event => {
  if (!text.value.trim()) { event.preventDefault(); complain("The text is empty; paste a text or choose a file"); }
  else if (text.value.length > limit) { event.preventDefault(); complain(tooLong(text.value.length)); }
  else form.querySelector("button").textContent = "Analysing …";
});
window.addEventListener("pageshow", () => { form.querySelector("button").textContent = "Analyse"; });
