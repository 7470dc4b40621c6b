// The event stream: open only while something is expected, resumed at the last number that was shown.
// A lost connection is not a failed run: it says so, asks how the run stands, and never gives up.
const KINDS = ["message", "run", "step", "action", "card", "handoff", "delta"];
const LONGEST_WAIT = 30000;
const SILENCE = 15000;

export class Stream {
  constructor({ address, seq, onEvent, onLost, onBack, onSilence }) {
    Object.assign(this, { address, seq, onEvent, onLost, onBack, onSilence });
    this.source = null;
    this.wait = 1000;
    addEventListener("online", () => this.wanted && this.reopen());
    addEventListener("pagehide", () => this.#drop());
    addEventListener("pageshow", (event) => event.persisted && this.wanted && this.reopen());
  }

  open() {
    this.wanted = true;
    if (!this.source) this.#connect();
  }

  reopen() {
    this.#drop();
    this.open();
  }

  close() {
    this.wanted = false;
    this.#drop();
  }

  #drop() {
    clearTimeout(this.retry);
    clearInterval(this.watch);
    this.source?.close();
    this.source = null;
  }

  #connect() {
    const url = new URL(this.address, location.href);
    const channel = (url.searchParams.get("lastEventId") ?? "").split(":")[0];
    if (channel) url.searchParams.set("lastEventId", `${channel}:${this.seq()}`);
    this.source = new EventSource(url);
    this.source.addEventListener("open", () => this.#connected());
    this.source.addEventListener("error", () => this.#failed());
    this.source.addEventListener("keep-alive", () => (this.heard = Date.now()));
    for (const kind of KINDS) this.source.addEventListener(kind, (event) => this.#heard(kind, event));
    this.heard = Date.now();
    this.watch = setInterval(() => Date.now() - this.heard > SILENCE && this.#quiet(), SILENCE);
  }

  #connected() {
    this.wait = 1000;
    if (this.lost) this.onBack();
    this.lost = false;
  }

  #heard(kind, event) {
    this.heard = Date.now();
    // An error of the connection has the same shape as an event without data.
    if (event.data) this.onEvent(kind, JSON.parse(event.data));
  }

  #quiet() {
    this.heard = Date.now();
    this.onSilence();
  }

  #failed() {
    this.lost = true;
    this.onLost();
    if (this.source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    this.#drop();
    this.retry = setTimeout(() => this.wanted && this.#connect(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    this.onSilence();
  }
}
