// Calling out the time: the server says what is to be called in the next 90 seconds; the page says it, and shows it.

import { h, fill, say, show } from "./dom.js";
import { currentLanguage, onLanguage, own, t } from "./text.js";

const SHOWN_MS = 4000;

export class CallOuts {
  /** `place` gets a switch and the line of what was called last. It is off until somebody switches it on. */
  constructor(place, speak = spoken) {
    this.place = place;
    this.speak = speak;
    this.on = false;
    this.timers = [];
    this.button = h("button", {
      type: "button",
      class: "quiet",
      "aria-pressed": "false",
      onclick: () => this.switch(),
    });
    this.line = h("span", { class: "called figures", role: "status" });
    fill(place, this.button, this.line);
    onLanguage(() => this.words());
    this.words();
    show(place, false);
  }

  words() {
    say(this.button, t(this.on ? "clock.calling" : "clock.call"));
    this.button.setAttribute("aria-pressed", String(this.on));
  }

  switch() {
    this.on = !this.on;
    this.words();
    this.plan();
  }

  /** A clock as it stands now: {t, paused, calls: [{t, color, last, text}]}; null where there is none. */
  take(clock) {
    this.clock = clock;
    this.since = Date.now();
    show(this.place, Boolean(clock));
    this.plan();
  }

  plan() {
    this.timers.forEach(clearTimeout);
    this.timers = [];
    if (!this.on || !this.clock || this.clock.paused) return;
    for (const call of this.clock.calls || []) {
      const wait = (call.t - this.clock.t) * 1000 - (Date.now() - this.since);
      if (wait >= 0) this.timers.push(setTimeout(() => this.call(call), wait));
    }
  }

  call({ text, color, last }) {
    const words = own(text);
    fill(this.line, h("span", { class: color === "B" ? "stone-b" : "stone-w" }), " ", words);
    this.line.classList.toggle("last", Boolean(last));
    this.speak(words);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => fill(this.line), SHOWN_MS);
  }
}

/** With the voice of this computer; nothing is asked of the net. */
function spoken(words) {
  if (!window.speechSynthesis) return;
  const wanted = currentLanguage() === "zh" ? "zh-CN" : "en-US";
  const sentence = new SpeechSynthesisUtterance(words);
  sentence.lang = wanted;
  speechSynthesis.cancel(); // a call that is late is none
  speechSynthesis.speak(sentence);
}
