// The calls for an absent player when a match waits, or another player challenges: a sound, a
// vibration, the tab's title and icon, and a notification of the desktop.

import { button, el, join, nameOf, set } from "../elements.js";
import { t } from "../texts.js";
import { readSettings } from "./settings.js";

/** @typedef {import("../visit.js").App} App */

const QUIET = 2_000; // milliseconds: a turn that begins sooner follows the visitor's own action
const LATE = 1_000; // milliseconds: a sound after them is no call any more
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

/** Play the sound of a call, unless it gets ready too late. */
export async function playSound() {
  const called = performance.now();
  await startSound();
  if (!audio || !isStarted || performance.now() - called > LATE) return;
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

// ---- Calls

/** The shown notifications. @type {Set<Notification>} */
const notices = new Set();
const icon = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]"));
const usualIcon = icon.href;
/** Names the match for which a tab calls the visitor to the other tabs of this browser. */
const tabs = openChannel();

/** Return the channel, or undefined in a browser that blocks it together with storage. */
function openChannel() {
  try {
    return new BroadcastChannel("mastermind.calls");
  } catch {
    return undefined;
  }
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const notice of notices) notice.close();
  notices.clear();
});
for (const gesture of ["pointerup", "keydown"]) document.addEventListener(gesture, startSound);
startSound();

/**
 * Call the visitor by a sound and a vibration, and on a hidden page by a notification.
 * @param {string} title @param {string} body
 * @param {string} code of the match
 * @returns {() => void} Closes the notification.
 */
export function callVisitor(title, body, code) {
  const { sound, notices: isAllowed } = readSettings();
  if (sound) {
    playSound();
    if (isUsed()) navigator.vibrate?.(VIBRATION);
  }
  const isPermitted = hasNotices() && Notification.permission === "granted";
  const notice = isAllowed && document.hidden && isPermitted && notify(title, body, code);
  if (!notice) return () => {};
  notices.add(notice);
  return () => {
    notices.delete(notice);
    notice.close();
  };
}

/** @param {boolean} isTurn */
const showIcon = (isTurn) => {
  icon.href = isTurn ? TURN_ICON : usualIcon;
};

/**
 * Return a function, to be called with each drawn state of a match: with its badge, such as "Your
 * turn", or "" if the match does not wait for the player, and with the announced sentence. When a
 * badge appears, the function calls the player, on a visible page without a notification. The tab's
 * icon shows the badge until the page is closed.
 * @param {App} app @param {string} code
 */
export function openAttention({ signal }, code) {
  /** @type {string | undefined} */
  let shown;
  let since = 0; // the time of the last other badge
  let close = () => {};
  signal.addEventListener("abort", () => {
    showIcon(false);
    close();
  });
  return (/** @type {string} */ badge, /** @type {string} */ sentence) => {
    if (badge === shown) return;
    const isNew = shown !== undefined && badge;
    const isQuick = performance.now() - since < QUIET && !document.hidden;
    shown = badge;
    since = performance.now();
    showIcon(badge !== "");
    if (badge) tabs?.postMessage(code);
    else close();
    if (isNew && !isQuick) close = callVisitor(badge, sentence, code);
  };
}

/**
 * Return a function for home, to be called with each list of the visitor's unfinished matches. It
 * calls the visitor for a match in which the turn has begun since the list before, unless another
 * tab shows the match. While a match waits, the tab's title and icon show it.
 * @param {App} app
 */
export function openTurns({ signal }) {
  /**
   * The functions that end the calls for the matches that wait.
   * @type {Map<string, () => void> | undefined}
   */
  let before;
  const shownElsewhere = new Set();
  tabs?.addEventListener("message", ({ data }) => shownElsewhere.add(data), { signal });
  signal.addEventListener("abort", () => {
    showIcon(false);
    before?.forEach((close) => close());
  });
  return (/** @type {any[]} */ own) => {
    if (signal.aborted) return;
    // A rematch in the phase "gathering" is offered by a challenge.
    const waiting = own.filter(({ turn, phase }) => turn && phase !== "gathering");
    const badge = t("Your turn");
    const calls = new Map(waiting.map(({ match, opponent, rules }) => {
      const isNew = before && !before.has(match) && !shownElsewhere.has(match);
      const body = join(" · ", nameOf(opponent), rules);
      return [match, before?.get(match) ?? (isNew ? callVisitor(badge, body, match) : () => {})];
    }));
    before?.forEach((close, match) => {
      if (calls.has(match)) return;
      close();
      shownElsewhere.delete(match);
    });
    before = calls;
    showIcon(waiting.length > 0);
    set(document, "title", join(" - ", waiting.length > 0 && badge, t("Mastermind")));
  };
}
