// The chat page. Without this file it works by sending the form and loading the page again.
import { Composer } from "./composer.js";
import { copyOnDemand } from "./copying.js";
import { showEarlierInPlace } from "./earlier.js";
import { Follow } from "./follow.js";
import { Stream } from "./stream.js";
import { Transcript } from "./transcript.js";
import { fragment, words } from "./words.js";

const PEEK = 20000; // how long a page that came back into view listens for what it missed
const AFTER = 2500; // the next run may follow at once
const NO_ID = "00000000-0000-0000-0000-000000000000";

const page = document.querySelector("[data-chat]");
const log = document.querySelector("[data-log]");
const follow = new Follow(document.querySelector("[data-scroller]"), document.querySelector("[data-latest]"));
const transcript = new Transcript(log, { seq: Number(page.dataset.seq), run: page.dataset.run, onGap: fillGap });
const composer = new Composer(document.querySelector("[data-ask]"), {
  limit: Number(page.dataset.limit),
  draftKey: `draft:${page.dataset.user}:${page.dataset.conversation ?? "new"}`,
  onSend: send,
});
const stopForm = document.querySelector("[data-stop]");
const stream = page.dataset.events && new Stream({
  address: page.dataset.events,
  seq: () => transcript.seq,
  onEvent: heard,
  onLost: () => say(navigator.onLine ? words("reconnecting") : words("offline")),
  onBack: () => say(""),
  onSilence: () => transcript.open.forEach(askAbout),
});

function say(text) {
  const status = document.querySelector("[data-now]");
  if (status.textContent !== text) status.textContent = text;
}

function heard(kind, data) {
  follow.around(() => {
    if (kind === "delta") transcript.delta(data);
    else if (transcript.apply(kind, data) && kind === "run") runChanged();
  });
}

function runChanged() {
  const working = transcript.open.size > 0;
  composer.working(working);
  say(working ? words("working") : words("answered"));
  if (working) listen();
  else restLater(AFTER);
  const [run] = transcript.open; // the one at work; a later one still waits
  if (run) stopForm.action = page.dataset.stopUrl.replace(NO_ID, run);
}

let resting;
function listen() {
  clearTimeout(resting);
  stream?.open();
}

function restLater(wait) {
  clearTimeout(resting);
  resting = setTimeout(() => transcript.open.size || stream?.close(), wait);
}

async function ask(url, options = {}) {
  const answer = await fetch(url, { ...options, headers: { Accept: "application/json" } });
  if (answer.status === 401) location.reload(); // signed out: the page leads to the sign-in and back
  return { status: answer.status, data: await answer.json() };
}

async function send(text) {
  document.querySelector("#problem")?.remove();
  const shown = transcript.sending(text);
  follow.toEnd();
  composer.busy = true;
  try {
    const { status, data } = await ask(composer.form.action, { method: "POST", body: new FormData(composer.form) });
    if (status !== 202) return refused(shown, data.error);
    composer.put("");
    composer.save();
    if (!stream) return location.assign(data.url);
    transcript.open.add(data.run);
    runChanged();
  } catch {
    refused(shown, navigator.onLine ? words("unreachable") : words("offline"));
  } finally {
    composer.busy = false;
  }
}

function refused(shown, sentence) {
  shown.remove();
  const note = fragment("error");
  note.id = "problem";
  note.querySelector("[data-words]").textContent = sentence;
  composer.form.before(note);
}

// How the run stands, by the server's word: a stream that broke proves nothing.
async function askAbout(run) {
  try {
    const { status, data } = await ask(page.dataset.runUrl.replace(NO_ID, run));
    if (status !== 200) return;
    if (["queued", "running"].includes(data.state)) follow.around(() => transcript.fill(run, data.partial ?? ""));
    else if (data.last_event > transcript.seq) stream.reopen();
    else location.reload();
  } catch {
    say(words("reconnecting"));
  }
}

async function fillGap(run, piece) {
  if (fillGap.busy) return;
  fillGap.busy = true;
  try {
    const { data } = await ask(page.dataset.runUrl.replace(NO_ID, run));
    if (!transcript.open.has(run)) return;
    follow.around(() => transcript.fill(run, data.partial ?? ""));
    if (transcript.live && piece.offset <= transcript.live.points.length) heard("delta", { run, ...piece });
  } catch {
    say(words("reconnecting"));
  } finally {
    fillGap.busy = false;
  }
}

stopForm.addEventListener("submit", (event) => {
  event.preventDefault();
  say(words("stopping"));
  ask(stopForm.action, { method: "POST", body: new FormData(stopForm) }).catch(() => say(words("unreachable")));
});

// A decision made in another tab, an answer that came while this one slept.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible" || !stream) return;
  stream.reopen();
  restLater(PEEK);
});
addEventListener("offline", () => say(words("offline")));
addEventListener("online", () => say(words("online")));

const wide = matchMedia("(min-width: 64rem)");
const rail = document.querySelector("[data-rail]");
const unfold = () => (rail.open = wide.matches);
wide.addEventListener("change", unfold);
unfold();

showEarlierInPlace(log, document.querySelector("[data-scroller]"), transcript);
copyOnDemand(log, say);
if (page.dataset.conversation && !location.hash) follow.toEnd();
if (transcript.open.size) listen();
