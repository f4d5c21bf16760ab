// Bring a corpus: take dropped files and folders with the names of their folders, show how much has
// been sent; and on the page of a corpus, how far the analysis is.
const form = document.getElementById("bring");
const part = document.getElementById("part");

function bringFiles() {
  const element = name => document.getElementById(name);
  const [fault, chosen, sending, sent, send] = ["fault", "chosen", "sending", "sent", "send"].map(element);
  const limit = Number(form.dataset.limit) * 1e6;
  let files = [];
  let request = null;

  const complain = message => { fault.textContent = message; fault.hidden = !message; };
  const size = () => files.reduce((sum, each) => sum + each.file.size, 0);
  const tooLarge = () => size() > limit;
  const inMB = bytes => (bytes / 1e6).toLocaleString("en", {maximumFractionDigits: 1});

  function take(found) {
    files = found;
    complain(tooLarge() ? `These files have ${inMB(size())} MB, the limit is ${form.dataset.limit} MB; analyse them with trope detect` : "");
    const names = files.slice(0, 3).map(each => each.path).join(", ");
    chosen.textContent = files.length ? `${files.length} file${files.length === 1 ? "" : "s"}, ${inMB(size())} MB: ${names}${files.length > 3 ? ", …" : ""}` : "";
  }

  async function inside(entry, path = "") {
    if (entry.isFile) return [{file: await new Promise((take, fail) => entry.file(take, fail)), path: path + entry.name}];
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const some = await new Promise((take, fail) => reader.readEntries(take, fail));
      if (!some.length) break;
      for (const each of some) found.push(...await inside(each, `${path}${entry.name}/`));
    }
    return found;
  }

  async function dropped(data) {
    const entries = [...data.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.length) return take([...data.files].map(file => ({file, path: file.name})));
    try { take((await Promise.all(entries.map(each => inside(each)))).flat()); }
    catch { complain("These files cannot be read; check their permissions"); }
  }

  function stop(message = "") {
    request = null;
    sending.hidden = true;
    send.disabled = false;
    complain(message);
  }

  function sendAll() {
    const data = new FormData();
    for (const name of ["csrfmiddlewaretoken", "kind", "column"]) data.append(name, form.elements[name].value);
    for (const each of form.querySelectorAll("[name=tasks]:checked")) data.append("tasks", each.value);
    data.append("names", JSON.stringify(files.map(each => each.path)));
    for (const each of files) data.append("files", each.file);
    request = new XMLHttpRequest();
    request.responseType = "document";
    request.upload.onprogress = event => { if (event.lengthComputable) sent.value = 100 * event.loaded / event.total; };
    request.onload = () => {
      const told = request.response?.querySelector("main p")?.textContent;
      if (request.status === 200) location = request.responseURL;
      else stop(told || "The workbench refused the files");
    };
    request.onerror = () => stop("The files did not arrive; are they still there, and does the workbench still run?");
    request.onabort = () => stop("Cancelled; nothing was kept");
    request.open("POST", form.action);
    request.send(data);
    send.disabled = true;
    sending.hidden = false;
    document.getElementById("abort").focus();
  }

  document.addEventListener("dragover", event => { event.preventDefault(); form.classList.add("over"); });
  document.addEventListener("dragleave", () => form.classList.remove("over"));
  document.addEventListener("drop", async event => {
    event.preventDefault();
    form.classList.remove("over");
    await dropped(event.dataTransfer);
    send.focus();
  });
  for (const [name, other] of [["files", "folder"], ["folder", "files"]]) {
    form.elements[name].addEventListener("change", () => {
      form.elements[other].value = "";
      take([...form.elements[name].files].map(file => ({file, path: file.webkitRelativePath || file.name})));
    });
  }
  document.getElementById("abort").addEventListener("click", () => request?.abort());
  form.addEventListener("submit", event => {
    event.preventDefault();
    if (!files.length) complain("Choose a file or a folder first");
    else if (tooLarge()) take(files);
    else sendAll();
  });
}

async function watch() {
  let answer;
  try { answer = await fetch(location.href, {headers: {"X-Trope": "progress"}}); }
  catch { document.getElementById("state").textContent = "The workbench does not answer; start it again."; return; }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = page.querySelector("form")?.dataset.state;
  const shape = document => ["#far", "#far[value]"].map(each => Boolean(document.querySelector(each))).join();
  if (!answer.ok || now !== part.dataset.state || shape(page) !== shape(document)) return location.reload();
  for (const each of ["label", "p"]) {
    const told = page.querySelector(each)?.textContent;
    const shown = part.querySelector(each);
    if (shown && told && shown.textContent !== told) shown.textContent = told;
  }
  const far = page.querySelector("#far[value]");
  if (far) part.querySelector("#far").value = far.value;
  setTimeout(watch, 1000);
}

if (form) bringFiles();
if (part) setTimeout(watch, 1000);
