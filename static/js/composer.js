// The field one writes in: Enter sends, but never while a word is being composed; the draft outlives a reload.
import { words } from "./words.js";

const NEAR_LIMIT = 400;
const SAVE_AFTER = 400;

export class Composer {
  constructor(form, { limit, draftKey, onSend }) {
    this.form = form;
    this.field = form.elements.q;
    this.send = document.querySelector("[data-send]");
    this.stop = document.querySelector("[data-stop-button]");
    this.counter = document.querySelector("[data-count]");
    this.limit = limit;
    this.draftKey = draftKey;
    this.onSend = onSend;
    this.field.removeAttribute("maxlength"); // a pasted text is never cut in silence
    this.#restore();
    this.#listen();
    this.#changed();
  }

  get text() {
    return this.field.value.trim();
  }

  #listen() {
    this.field.addEventListener("input", () => this.#changed());
    this.field.addEventListener("keydown", (event) => this.#key(event));
    // Safari ends a composition before its Enter arrives: that Enter still belongs to the word.
    this.field.addEventListener("compositionend", () => (this.composedAt = performance.now()));
    this.form.addEventListener("submit", (event) => this.#submit(event));
    addEventListener("pagehide", () => this.save());
    for (const button of document.querySelectorAll("[data-suggestion]"))
      button.addEventListener("click", (event) => this.#suggest(event, button.value));
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.isComposing || event.keyCode === 229 || performance.now() - (this.composedAt ?? -1000) < 50) return;
    if (matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  #submit(event) {
    event.preventDefault();
    if (!this.text || [...this.text].length > this.limit || this.busy) return this.field.focus();
    this.onSend(this.text);
    this.field.focus();
  }

  #suggest(event, text) {
    event.preventDefault();
    this.put(text);
    this.field.focus();
    this.field.setSelectionRange(text.length, text.length);
  }

  #changed() {
    const left = this.limit - [...this.field.value].length;
    const said = left < 0 ? words("over", { n: -left }) : left <= NEAR_LIMIT ? words("left", { n: left }) : "";
    if (this.counter.textContent !== said) this.counter.textContent = said;
    this.counter.classList.toggle("tone-danger", left < 0);
    if (left < 0) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
    if (!CSS.supports("field-sizing", "content")) this.#grow();
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), SAVE_AFTER);
  }

  #grow() {
    this.field.style.blockSize = "auto";
    this.field.style.blockSize = `${this.field.scrollHeight + 2}px`;
  }

  put(text) {
    this.field.value = text;
    this.#changed();
  }

  save() {
    try {
      if (this.field.value.trim()) localStorage.setItem(this.draftKey, this.field.value);
      else localStorage.removeItem(this.draftKey);
    } catch {
      this.draftKey = null; // storage is full or forbidden: the text stays in the field
    }
  }

  #restore() {
    try {
      this.field.value ||= localStorage.getItem(this.draftKey) ?? "";
    } catch {
      this.draftKey = null;
    }
  }

  // Send turns into Stop while a run goes on; the focus never falls into the void.
  working(yes) {
    const lost = [this.send, this.stop].includes(document.activeElement);
    this.send.hidden = yes;
    this.stop.hidden = !yes;
    if (lost) this.field.focus();
  }
}
