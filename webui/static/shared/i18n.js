// The scripts' texts in the language of the page: English stands in the code, and the page brings
// its translation.

const translations = JSON.parse(document.getElementById("words").content);

export const language = document.documentElement.lang;

/** The translation of `text` with its {names} filled in. */
export function _(text, values = {}) {
  return (translations[text] ?? text).replace(/\{(\w+)\}/g, (_all, name) => values[name]);
}

/** A number with this many decimals, in the language's format. */
export const decimal = (number, digits) => number.toLocaleString(language, {
  minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false,
});

/** A play for display: notation is the same in every language, `(no play)` is not. */
export const playText = (play) => (play === "(no play)" ? _("(no play)") : play);
