// Moves the threshold: one variable of the style, and how many words that marks.
const slider = document.getElementById("threshold");
const readout = document.getElementById("shown");
const above = slider.dataset.above.split(" ").map(Number);
slider.parentElement.hidden = false;
slider.addEventListener("input", () => {
  const from = Number(slider.value);
  document.documentElement.style.setProperty("--from", Math.round(from * 10000));
  const words = above[Math.round(from * 100)];
  readout.textContent = `${from.toFixed(2)} (${words.toLocaleString("en")} ${words === 1 ? "word" : "words"})`;
});
