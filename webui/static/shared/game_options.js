// The options of a game in a form, each choice explained by one line below it.

import { fromTemplate } from "./dom.js";

const VALUES = { true: true, false: false };

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

  /** Shows the options of `variant`, with what is `chosen` of them, as in the API. */
  show(variant, chosen = {}) {
    if (variant !== this.variant) this.make(variant);
    for (const { select, note } of this.fields) {
      const value = String(chosen[select.name] ?? "");
      if (select !== document.activeElement) select.value = value;
      note();
    }
  }

  make(variant) {
    const options = this.options[variant] ?? [];
    this.variant = variant;
    this.fields = [];
    this.root.replaceChildren(...options.map((option) => this.makeField(option)));
    this.root.hidden = !options.length;
  }

  makeField({ name, title, choices }) {
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
    this.fields.push({ select, note: explain(select, text) });
    select.addEventListener("change", () => this.onChange(this.chosen));
    return node;
  }

  /** What is chosen, as the API takes it. */
  get chosen() {
    const set = (this.fields ?? []).map(({ select }) => [select.name, select.value]).filter(([, value]) => value);
    return Object.fromEntries(set.map(([name, value]) => [name, VALUES[value] ?? value]));
  }
}
