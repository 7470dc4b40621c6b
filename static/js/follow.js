// The end of the conversation stays in view only while the reader is near it. One scroll up, and nothing moves.
const NEAR = 100;

export class Follow {
  constructor(scroller, latest) {
    this.scroller = scroller;
    this.latest = latest;
    this.following = false;
    for (const target of [scroller, window]) target.addEventListener("scroll", () => this.#look(), { passive: true });
    latest.querySelector("button").addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.following && this.#end()).observe(scroller);
  }

  // In a very low window the page scrolls as a whole.
  get #box() {
    return getComputedStyle(this.scroller).overflowY === "visible" ? document.scrollingElement : this.scroller;
  }

  #gap() {
    return this.#box.scrollHeight - this.#box.scrollTop - this.#box.clientHeight;
  }

  #look() {
    this.following = this.#gap() <= NEAR;
    if (this.following) this.latest.hidden = true;
  }

  #end() {
    this.#box.scrollTop = this.#box.scrollHeight;
  }

  // Wrap whatever adds something: where the reader is counts at that moment, not at the last event of scrolling.
  around(change) {
    const near = this.#gap() <= NEAR;
    change();
    if (near) this.toEnd();
    else this.latest.hidden = this.#gap() <= NEAR;
  }

  toEnd() {
    this.following = true;
    this.latest.hidden = true;
    this.#end();
  }
}
