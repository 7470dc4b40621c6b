// Events become elements. A later event with the same key takes the place of the earlier one; a number that was
// seen before is dropped. HTML comes from the server's own templates; what the model is still writing goes in as text.
import { fragment } from "./words.js";

const OPEN = new Set(["queued", "running"]);

export class Transcript {
  constructor(log, { seq, run, onGap }) {
    this.log = log;
    this.seq = seq;
    this.open = new Set(run ? [run] : []);
    this.onGap = onGap;
    const started = log.querySelector("[data-live]");
    this.live = started ? { node: started.closest("li"), run, points: [...started.textContent] } : null;
  }

  // Returns false for what was shown before.
  apply(kind, data) {
    if (data.seq !== undefined) {
      if (data.seq <= this.seq) return false;
      this.seq = data.seq;
    }
    if (kind === "step") this.#step(data);
    else if (kind === "run") this.#run(data);
    else this.#entry(kind, data);
    this.log.closest("[role=log]").setAttribute("aria-busy", String(this.open.size > 0));
    return true;
  }

  #item(kind, key) {
    let item = document.getElementById(key);
    if (!item) {
      item = document.createElement("li");
      item.id = key;
      item.className = `entry is-${kind}`;
      if (kind === "run") item.append(fragment("run"));
      if (kind !== "step") this.log.append(item);
    }
    return item;
  }

  #entry(kind, data) {
    if (!data.html?.trim()) return;
    const item = this.#item(kind, data.key);
    item.innerHTML = data.html;
    const message = item.querySelector(".message");
    if (message) this.#day(item);
    if (message?.classList.contains("customer")) this.log.querySelector("[data-sending]")?.remove();
    if (message?.classList.contains("agent")) this.dropLive();
  }

  // The day in front of the first message after midnight, as the server's page has it.
  #day(item) {
    const day = item.querySelector("time")?.dateTime.slice(0, 10);
    const before = [...this.log.querySelectorAll(".message time")].at(-2)?.dateTime.slice(0, 10);
    if (!before || !day || day === before || document.getElementById(`day-${day}`)) return;
    const line = document.createElement("li");
    line.id = `day-${day}`;
    line.className = "entry is-day";
    const time = line.appendChild(document.createElement("time"));
    time.dateTime = day;
    time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(day));
    item.before(line);
  }

  #run(data) {
    const item = this.#item("run", data.key);
    item.querySelector("[data-head]").innerHTML = data.html ?? "";
    const id = data.run ?? data.key.replace(/^run-/, "");
    if (OPEN.has(data.state)) this.open.add(id);
    else {
      this.open.delete(id);
      this.dropLive();
      item.querySelector("details").open = false;
    }
  }

  #step(data) {
    const item = this.#item("step", data.key);
    item.innerHTML = data.html;
    if (item.isConnected) return;
    const run = document.getElementById(`run-${data.key.slice(5, 41)}`); // a step is keyed by its run and its call
    const steps = run?.querySelector(".steps");
    (steps ?? this.log).append(item);
    if (!steps) return;
    run.querySelector("details").hidden = false;
    run.querySelector(".count").textContent = `(${steps.children.length})`;
  }

  // What the customer just sent, until the server says it back.
  sending(text) {
    const item = document.createElement("li");
    item.className = "entry is-message";
    item.dataset.sending = "";
    item.append(fragment("mine"));
    item.querySelector(".said").textContent = text;
    this.log.append(item);
    return item;
  }

  // A piece of the answer that is being written. Positions count characters, not UTF-16 units.
  delta({ run, attempt, turn, offset, text }) {
    if (!this.open.has(run)) return;
    const live = this.#liveFor(run, attempt, turn, offset);
    if (!live) return;
    if (offset > live.points.length) return this.onGap(run, { attempt, turn, offset, text });
    const fresh = [...text].slice(live.points.length - offset);
    if (fresh.length) this.#show(live, [...live.points, ...fresh]);
  }

  // The saved beginning of the answer fills a gap.
  fill(run, partial) {
    const points = [...partial];
    const live = this.live?.run === run ? this.live : this.#newLive({ run });
    if (points.length > live.points.length) this.#show(live, points);
  }

  #liveFor(run, attempt, turn, offset) {
    const live = this.live;
    if (!live || live.run !== run) return this.#newLive({ run, attempt, turn });
    if (live.attempt === undefined && offset > 0) Object.assign(live, { attempt, turn });
    if (live.attempt === attempt && live.turn === turn) return live;
    if (live.attempt > attempt || (live.attempt === attempt && live.turn > turn)) return null;
    return this.#newLive({ run, attempt, turn });
  }

  #newLive(about) {
    this.dropLive();
    const node = document.createElement("li");
    node.className = "entry is-live";
    node.append(fragment("live"));
    this.log.append(node);
    this.live = { ...about, node, points: [] };
    return this.live;
  }

  #show(live, points) {
    live.points = points;
    live.node.querySelector(".said").textContent = points.join("");
  }

  dropLive() {
    this.live?.node.remove();
    this.live = null;
  }
}
