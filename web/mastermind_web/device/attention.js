// The calls for an absent player when a match waits: a sound, a vibration, the tab's icon, and a
// notification of the desktop.

import { button, el } from "../elements.js";
import { t } from "../texts.js";
import { readSettings } from "./settings.js";

/** @typedef {import("../visit.js").App} App */

const QUIET = 2_000; // milliseconds: a turn that begins sooner follows the visitor's own action
const VIBRATION = 60; // milliseconds
const TONES = [523, 784]; // hertz
const TONE = 0.12; // seconds
const VOLUME = 0.15; // of 1: a call, no alarm
const ICON = "/icon-192.png";
/** The tab's icon on the own turn. It is no file, because the server may be away. */
const TURN_ICON = `data:image/svg+xml,${encodeURIComponent([
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">',
  '<rect width="16" height="16" rx="3" fill="#26303c"/>',
  '<circle cx="5" cy="5" r="2.4" fill="#e5484d"/>',
  '<circle cx="5" cy="11" r="2.4" fill="#46a758"/>',
  '<circle cx="11" cy="11" r="2.4" fill="#3e8ef7"/>',
  '<circle cx="11.5" cy="4.5" r="4.5" fill="#fff"/>',
  '<circle cx="11.5" cy="4.5" r="3.3" fill="#d7263d"/>',
  '</svg>',
].join(""))}`;

// ---- Sound

/** @type {AudioContext | undefined} It is suspended between the sounds, to save the battery. */
let audio;
/** Whether a gesture of the visitor has started `audio`. */
let isStarted = false;
/** The number of playing sounds. */
let sounding = 0;

/** Whether the visitor has used the page: otherwise browsers refuse a sound and a vibration. */
const isUsed = () => navigator.userActivation?.hasBeenActive !== false;

const rest = () => {
  if (sounding === 0) audio?.suspend();
};

/** Make the sound ready, which Safari allows only in a gesture. */
export async function startSound() {
  if (isStarted || !isUsed()) return;
  audio ??= new AudioContext();
  await audio.resume();
  isStarted = true;
  rest();
}

/** Play the sound of a turn, if it is ready. */
export async function playSound() {
  if (!audio || !isStarted) return;
  sounding++;
  await audio.resume();
  const { destination, currentTime } = audio;
  const tones = TONES.map((frequency, index) => {
    const start = currentTime + index * TONE;
    const gain = new GainNode(destination.context, { gain: 0 });
    gain.gain.setValueAtTime(VOLUME, start);
    gain.gain.exponentialRampToValueAtTime(VOLUME / 100, start + 2 * TONE);
    const tone = new OscillatorNode(destination.context, { frequency });
    tone.connect(gain).connect(destination);
    tone.start(start);
    tone.stop(start + 2 * TONE);
    return tone;
  });
  tones[tones.length - 1].onended = () => {
    sounding--;
    rest();
  };
}

// ---- Notifications

/** Whether the browser has notifications: on phones they would need a service worker. */
export const hasNotices = () => "Notification" in window && matchMedia("(pointer: fine)").matches;

/**
 * Return an offer of notifications, until the visitor has answered the browser's question.
 * @param {App} app
 */
export function offerNotices(app) {
  const ask = () => app.attempt("notices", () => Notification.requestPermission());
  const isOpen = hasNotices() && readSettings().notices && Notification.permission === "default";
  return isOpen && el("p", {}, button(t("Notify me when it is my turn"), ask, "link"));
}

/**
 * Return a notification, or undefined where pages cannot make one: Android with a mouse.
 * @param {string} title @param {string} body
 * @param {string} tag It replaces an earlier one with this tag.
 */
function notify(title, body, tag) {
  try {
    const notice = new Notification(title, { body, tag, icon: ICON });
    notice.onclick = () => {
      window.focus();
      notice.close();
    };
    return notice;
  } catch {
    return undefined;
  }
}

// ---- A match

/**
 * Return a function, to be called with each drawn state of a match: with its badge, such as "Your
 * turn", or "" if the match does not wait for the player, and with the announced sentence. When a
 * badge appears, the function calls the player, on a visible page without a notification. The tab's
 * icon shows the badge until the page is closed.
 * @param {App} app @param {string} code
 */
export function openAttention({ signal }, code) {
  const icon = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]"));
  const usual = icon.href;
  /** @type {string | undefined} */
  let shown;
  let since = 0; // the time of the last other badge
  /** @type {Notification | undefined} */
  let notice;
  const closeNotice = () => {
    if (!document.hidden) notice?.close();
  };
  document.addEventListener("visibilitychange", closeNotice, { signal });
  for (const gesture of ["pointerup", "keydown"]) {
    document.addEventListener(gesture, startSound, { signal });
  }
  signal.addEventListener("abort", () => {
    icon.href = usual;
    notice?.close();
  });
  startSound();
  return (/** @type {string} */ badge, /** @type {string} */ sentence) => {
    if (badge === shown) return;
    const isNew = shown !== undefined && badge;
    const isQuick = performance.now() - since < QUIET && !document.hidden;
    shown = badge;
    since = performance.now();
    icon.href = badge ? TURN_ICON : usual;
    if (!badge) notice?.close();
    if (!isNew || isQuick) return;
    const { sound, notices } = readSettings();
    if (sound) {
      playSound();
      if (isUsed()) navigator.vibrate?.(VIBRATION);
    }
    if (notices && document.hidden && hasNotices() && Notification.permission === "granted") {
      notice = notify(badge, sentence, code);
    }
  };
}
