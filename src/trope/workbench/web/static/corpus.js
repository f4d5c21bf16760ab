// Only the values of the chosen column are offered.
const values = document.getElementById("values");
const by = document.querySelector("select[name=by]");
if (values && by) {
  const every = [...values.children];
  const offer = () => values.replaceChildren(...every.filter((one) => one.textContent === by.value));
  by.addEventListener("change", offer);
  offer();
}

// A box that selects all lines of a page; without JavaScript, lines are selected one by one.
const lines = document.getElementById("lines");
const boxes = lines ? [...lines.querySelectorAll("tbody input[type=checkbox]")] : [];
if (boxes.length) {
  const all = document.createElement("input");
  all.type = "checkbox";
  const label = document.createElement("label");
  label.className = "box all";
  label.append(all, " select all lines on this page");
  lines.before(label);
  const update = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && !all.checked;
  };
  all.addEventListener("change", () => boxes.forEach((box) => { box.checked = all.checked; }));
  boxes.forEach((box) => box.addEventListener("change", update));
  update();
}
