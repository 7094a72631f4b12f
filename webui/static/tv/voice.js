// What a television tells by ear: tones for what must not be missed, and the spoken roll and play.
// Both are off until somebody turns them on.

import { byId, changed } from "../shared/dom.js";
import { language } from "../shared/i18n.js";
import { store, stored } from "../shared/stored.js";

// Not a look-behind, which is a syntax error in Safari before 16.4.
const SENTENCE_END = /([.!?])\s+/g;
const SECONDS = 0.18;
// Hertz, one tone after the other.
const TONES = { illegal: [392, 294], void: [330], time: [523, 523, 523] };

class Toggle {
  constructor(id) {
    this.button = byId(id);
    this.isOn = stored(id) === "on";
    this.button.addEventListener("click", () => {
      this.isOn = !this.isOn;
      store(id, this.isOn ? "on" : "off");
      this.show();
    });
    this.show();
  }

  show() {
    this.button.setAttribute("aria-pressed", String(this.isOn));
  }
}

export class Voice {
  constructor() {
    this.sounds = new Toggle("sounds");
    this.speech = new Toggle("speech");
    this.speech.button.hidden = !window.speechSynthesis;
    this.told = null;
    // A browser plays nothing before somebody has touched the page.
    document.addEventListener("click", () => this.audio?.resume());
  }

  /** Tells what is new in a state; of the first one nothing, as it is not news. */
  update({ shown }) {
    const isFirst = this.told === null;
    const sentences = shown.spoken.event.replace(SENTENCE_END, "$1\n").split("\n");
    const fresh = sentences.filter((one) => !this.told?.includes(one));
    this.told = sentences;
    const isNew = changed("heard", shown.alert);
    if (isFirst) return;
    if (this.sounds.isOn && isNew && shown.alert) this.play(TONES[shown.alert.kind] ?? []);
    if (this.speech.isOn && fresh.length) this.say(fresh.join(" "));
  }

  play(tones) {
    this.audio ??= new AudioContext();
    for (const [index, frequency] of tones.entries()) {
      const tone = this.audio.createOscillator();
      const loudness = this.audio.createGain();
      const start = this.audio.currentTime + index * SECONDS * 1.2;
      tone.frequency.value = frequency;
      // Without a slope at the end it clicks.
      loudness.gain.setValueAtTime(0.3, start);
      loudness.gain.linearRampToValueAtTime(0, start + SECONDS);
      tone.connect(loudness).connect(this.audio.destination);
      tone.start(start);
      tone.stop(start + SECONDS);
    }
  }

  say(text) {
    const words = new SpeechSynthesisUtterance(text);
    words.lang = language;
    speechSynthesis.speak(words);
  }
}
