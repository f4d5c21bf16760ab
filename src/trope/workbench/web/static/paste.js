// Where a text is pasted: a file can be dropped, and what is too long is told before it is sent.
const form = document.getElementById("paste");
const text = document.getElementById("text");
const fault = document.getElementById("fault");
const limit = Number(form.dataset.limit);

function complain(message) {
  fault.textContent = message;
  fault.hidden = !message;
}

function tooLong(characters) {
  return `The text has ${characters.toLocaleString("en")} characters, and ${limit.toLocaleString("en")} ` +
    "are shown at most; for longer ones run trope analyze --format html, or trope detect";
}

async function take(file) {
  if (file.size > 4 * limit) return complain(tooLong(file.size));
  let content;
  try {
    content = new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer());
  } catch { return complain(`${file.name} is no UTF-8 text; convert it, for example with iconv -t UTF-8`); }
  if (content.includes("\0")) return complain(`${file.name} is no text but binary data`);
  if (!content.trim()) return complain(`${file.name} is empty`);
  if (content.length > limit) return complain(tooLong(content.length));
  complain("");
  text.value = content;
  text.focus();
}

text.removeAttribute("maxlength");            // told below, instead of cutting a text off silently
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
  form.elements.file.value = "";              // it stands in the field now
});
form.addEventListener("submit", event => {
  if (!text.value.trim()) { event.preventDefault(); complain("There is no text; paste one, or choose a file"); }
  else if (text.value.length > limit) { event.preventDefault(); complain(tooLong(text.value.length)); }
  else form.querySelector("button").textContent = "Reading …";
});
window.addEventListener("pageshow", () => { form.querySelector("button").textContent = "Analyse"; });
