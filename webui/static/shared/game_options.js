// The options of a game in a form, each choice explained by one line below it.

import { fromTemplate } from "./dom.js";

// A value as the API takes it: true, false, a number or a name.
const valueOf = (text) => (/^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text);

/** Shows the line that explains the chosen option of `select` in `note`; call the result again after setting a value. */
export function explain(select, note) {
  const show = () => { note.textContent = select.selectedOptions[0]?.dataset.note ?? ""; };
  select.addEventListener("change", show);
  show();
  return show;
}

export class GameOptions {
  // onChange(chosen): somebody chose something.
  constructor(root, onChange = () => {}) {
    Object.assign(this, { root, onChange, options: JSON.parse(root.dataset.options), variant: null });
  }

  /** Shows the options of `variant` to `length` points, with what is `chosen` of them, as in the API. */
  show(variant, length, chosen = {}) {
    if (variant !== this.variant) this.make(variant);
    this.limitTo(length);
    for (const { select, note } of this.fields) {
      const value = String(chosen[select.name] ?? "");
      if (select !== document.activeElement) select.value = value;
      note();
    }
    if (this.fields.some(({ play, node, select }) => play && !node.hidden && select.value)) this.cube.open = true;
  }

  /** Hides what does not matter in a match of this length, 0 for money. */
  limitTo(length) {
    const play = Number(length) ? "match" : "money";
    for (const field of this.fields) field.node.hidden = Boolean(field.play) && field.play !== play;
    this.root.hidden = this.fields.every(({ node }) => node.hidden);
  }

  make(variant) {
    const options = this.options[variant] ?? [];
    this.variant = variant;
    this.fields = [];
    this.cube = fromTemplate("cube-options");
    this.root.replaceChildren();
    for (const option of options) (option.play ? this.cube : this.root).append(this.makeField(option));
    if (options.some(({ play }) => play)) this.root.append(this.cube);
  }

  makeField({ name, title, play, choices }) {
    const node = fromTemplate("game-option", { title });
    const [select, text] = [node.querySelector("select"), node.querySelector(".note")];
    select.name = name;
    text.id = `${name}-note`;
    select.setAttribute("aria-describedby", text.id);
    select.append(...choices.map(({ value, title: shown, note }) => {
      const choice = new Option(shown, value);
      choice.dataset.note = note;
      return choice;
    }));
    this.fields.push({ node, play, select, note: explain(select, text) });
    select.addEventListener("change", () => this.onChange(this.chosen));
    return node;
  }

  /** What is chosen of those shown, as the API takes it. */
  get chosen() {
    const set = (this.fields ?? []).filter(({ node, select }) => !node.hidden && select.value);
    return Object.fromEntries(set.map(({ select }) => [select.name, valueOf(select.value)]));
  }
}
