// "Show earlier" without leaving the page: what came before is put in front, and what is being read stays where it is.
export function showEarlierInPlace(log, scroller, transcript) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-earlier]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(addressOf(link, log));
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const isBehind = Number(page.querySelector("[data-chat]").dataset.seq) < transcript.seq;
      const shown = [...log.children].find((item) => !item.matches(".is-day")); // a day may begin earlier now
      const [scrolled, from] = [scroller.scrollTop, placeIn(scroller, shown)];
      putInFront(log, shown, page.querySelector("[data-log]"), { isBehind });
      const next = page.querySelector("[data-earlier]");
      if (next) link.replaceWith(next);
      else link.parentElement.remove();
      scroller.scrollTop = scrolled + placeIn(scroller, shown) - from;
      log.firstElementChild.setAttribute("tabindex", "-1");
      log.firstElementChild.focus({ preventScroll: true });
    } catch {
      location.assign(link.href);
    }
  });
}

// What was said since the page was loaded stands on it too: those in front of all that are asked for.
function addressOf(link, log) {
  const address = new URL(link.href);
  address.searchParams.set("messages", log.querySelectorAll(".is-message[id]").length + Number(link.dataset.earlier));
  return address;
}

function placeIn(scroller, item) {
  return item.getBoundingClientRect().top + scroller.scrollTop;
}

function putInFront(log, shown, longer, { isBehind }) {
  const before = [...longer.children];
  const end = before.findIndex((item) => item.id === shown.id);
  if (end === -1) throw new Error("the two do not meet");
  while (log.firstElementChild !== shown) log.firstElementChild.remove();
  shown.before(...before.slice(0, end).map((item) => onlyOne(item, { isBehind })));
  for (const day of log.querySelectorAll(".is-day:last-child, .is-day:has(+ .is-day)")) day.remove();
}

// What began before the page did and changed later stood at the change; its place is where it began. A stream that
// is ahead of the page that was asked for has shown the newer state.
function onlyOne(item, { isBehind }) {
  const there = document.getElementById(item.id);
  if (there && isBehind) return there;
  for (const part of [item, ...item.querySelectorAll(".entry[id]")]) document.getElementById(part.id)?.remove();
  return item;
}
