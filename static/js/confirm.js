// The confirmation page needs none of this: the form works alone, and the server decides once.
const MINUTE = 60000;

function left(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function count(node) {
  const until = Date.parse(node.dataset.countdown);
  const said = document.querySelector("[data-countdown-said]");
  const announce = (words) => said.textContent !== words && (said.textContent = words);
  const tick = () => {
    const rest = until - Date.now();
    node.textContent = rest > 0 ? node.dataset.words.replace("%(time)s", left(rest)) : node.dataset.over;
    if (rest <= 0) return clearInterval(timer);
    if (rest <= MINUTE) announce(said.dataset.one);
    else if (rest <= 5 * MINUTE && rest > 4 * MINUTE) announce(said.dataset.five);
  };
  const timer = setInterval(tick, 1000);
  tick();
}

for (const node of document.querySelectorAll("[data-countdown]")) count(node);

// Cosmetic: a second click sends nothing. That it would change nothing is the server's promise.
for (const form of document.querySelectorAll("[data-decide]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    for (const button of form.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
  });
  addEventListener("pageshow", () => {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("button")) button.removeAttribute("aria-disabled");
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// Confirmed, and not known to be done yet: look until it is, and draw the page anew only then.
const LOOK_EVERY = 5000;
const waiting = document.querySelector("[data-waiting]");

async function look() {
  try {
    const answer = await fetch(location.pathname, { headers: { Accept: "application/json" } });
    if (answer.ok && (await answer.json()).state !== waiting.dataset.waiting) return location.reload();
  } catch {
    // Offline for a moment: the next look will tell.
  }
  setTimeout(look, LOOK_EVERY);
}

if (waiting) setTimeout(look, LOOK_EVERY);

document.querySelector("[data-focus]")?.focus();
