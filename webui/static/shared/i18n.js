// Words of the scripts, in the language of the page: English is written in the code, the page
// brings what it is in another language.

const known = JSON.parse(document.getElementById("words").content);

export const language = document.documentElement.lang;

// `text` with its {names} filled in.
export function _(text, values = {}) {
  return (known[text] ?? text).replace(/\{(\w+)\}/g, (_all, name) => values[name]);
}

export const decimal = (number, digits) => number.toLocaleString(language, {
  minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false,
});

// Notation is the same everywhere, but that nothing was played is words.
export const playWords = (play) => (play === "(no play)" ? _("(no play)") : play);

export const linkWords = (link) => (
  { live: _("Live"), lost: _("Reconnecting"), wait: _("Connecting") }[link]);
