// "Copy" beside each answer. Shops on a plain-http network have no clipboard API: there the old command does it.
import { words } from "./words.js";

export function copyOnDemand(log, say) {
  log.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const text = button.closest(".message").querySelector(".said").innerText;
    say(words((await copied(text)) ? "copied" : "uncopied"));
    button.focus();
  });
}

async function copied(text) {
  try {
    if (!navigator.clipboard) return byCommand(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return byCommand(text);
  }
}

function byCommand(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
