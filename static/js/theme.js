// Light, dark, or as the device: kept in a cookie, so that the server writes it into the page and nothing flashes.
// Signing out also forgets the drafts of this browser.
const YEAR = 31536000;

function chosen() {
  return document.documentElement.dataset.theme ?? "auto";
}

function choose(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=${theme === "auto" ? 0 : YEAR}; samesite=lax`;
  show();
}

function show() {
  for (const button of document.querySelectorAll("[data-theme-choice]"))
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === chosen()));
}

for (const group of document.querySelectorAll("[data-themes]")) {
  group.hidden = false;
  group.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-choice]");
    if (button) choose(button.dataset.themeChoice);
  });
}
show();

function forgetDrafts() {
  for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key);
}

for (const form of document.querySelectorAll("[data-sign-out]"))
  form.addEventListener("submit", () => {
    forgetDrafts();
    addEventListener("pagehide", forgetDrafts); // after the composer's own, which saves what stands in its field
  });
