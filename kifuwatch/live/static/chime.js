// A soft bell when the arbiter is called. It is off until somebody switches it on: browsers want that too.

import { iconButton } from "./dom.js";
import { onLanguage, t } from "./text.js";

const TONES = [
  [880, 0],
  [1318.5, 0.14],
];

export class Chime {
  constructor() {
    this.on = false;
    this.button = iconButton("bell", "", () => this.switch());
    onLanguage(() => this.words());
    this.words();
  }

  words() {
    const label = t("alerts.sound");
    this.button.title = label;
    this.button.setAttribute("aria-label", label);
    this.button.setAttribute("aria-pressed", String(this.on));
  }

  switch() {
    this.on = !this.on;
    this.words();
    if (!this.on) return;
    this.context = this.context || new AudioContext();
    this.context.resume();
    this.ring();
  }

  ring() {
    if (!this.on) return;
    for (const [frequency, after] of TONES) {
      const start = this.context.currentTime + after;
      const tone = new OscillatorNode(this.context, { frequency });
      const loudness = new GainNode(this.context, { gain: 0 });
      loudness.gain.linearRampToValueAtTime(0.2, start + 0.02);
      loudness.gain.exponentialRampToValueAtTime(0.001, start + 0.9);
      tone.connect(loudness).connect(this.context.destination);
      tone.start(start);
      tone.stop(start + 1);
    }
  }
}
