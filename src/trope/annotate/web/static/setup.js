// Pages of the owner: a preview while typing, files that are too large, imports and models that run.
"use strict";

const edit = document.querySelector("form[data-preview]");
let pending = 0, latest = 0;
async function renew() {
  const number = ++latest, body = new URLSearchParams(new FormData(edit));
  body.set("action", "preview");
  try {
    const answer = await fetch(location.pathname, {method: "POST", body, headers: {"X-Trope": "preview"}});
    if (!answer.ok || number !== latest) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.getElementById("preview").replaceChildren(...document.adoptNode(page.body).childNodes);
  } catch { /* the button still works */ }
}
edit?.addEventListener("input", () => { clearTimeout(pending); pending = setTimeout(renew, 400); });

for (const sending of document.querySelectorAll("form[data-limit]")) {
  sending.addEventListener("change", event => {
    if (!event.target.files) return;
    const large = event.target.files[0]?.size > Number(sending.dataset.limit) * 1e6;
    event.target.setCustomValidity(large ? `This file has more than ${sending.dataset.limit} MB. Choose a smaller one, or divide it.` : "");
    event.target.reportValidity();
  });
}

if (document.querySelector("#uploads[data-running]")) setTimeout(() => location.replace(location.pathname), 2000);

async function followRuns() {
  const old = document.querySelector("#runs[data-running]");
  if (!old) return;
  try {
    const answer = await fetch(location.pathname.replace(/models.*/, "models"), {headers: {"X-Trope": "runs"}});
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("runs");
    if (answer.ok && found) old.replaceWith(document.adoptNode(found));
  } catch { /* the link still works */ }
  setTimeout(followRuns, 2000);
}
setTimeout(followRuns, 2000);
