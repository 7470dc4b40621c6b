// The page's own words in the page's language, from its <template data-words>.
const dataset = document.querySelector("template[data-words]")?.dataset ?? {};

export function words(name, values = {}) {
  return Object.entries(values).reduce((text, [key, value]) => text.replace(`%(${key})s`, value), dataset[name] ?? "");
}

export function fragment(name) {
  return document.querySelector(`template[data-template="${name}"]`).content.firstElementChild.cloneNode(true);
}
