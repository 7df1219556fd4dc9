// The texts of clocks.

import { n, t } from "./texts.js";

const [SECOND, HOUR, DAY] = [1000, 3_600_000, 86_400_000];
export const MINUTE = 60_000; // milliseconds
/** Less than this is shown with tenths. */
export const TENTHS = 10 * SECOND;

/** Return a sentence about the time that players have. @param {import("./game.js").Clock} clock */
export function describeClock({ base, increment, move, live }) {
  if (!live) return n("Each move has {number} day.", "Each move has {number} days.", move / DAY);
  if (move) return t("Each guess has {seconds} seconds.", { seconds: move / SECOND });
  const time = n("The codebreaker has {number} minute a round.", "The codebreaker has {number} minutes a round.", base / MINUTE);
  const added = increment && n("Each guess adds {number} second.", "Each guess adds {number} seconds.", increment / SECOND);
  return [time, added].filter(Boolean).join(" ");
}

/** Return the milliseconds that are left as `02:37`, `!00:48`, `!9.4`, or for days `2 d 4 h`. @param {number} left @param {boolean} live */
export function writeTime(left, live) {
  if (!live) {
    const [days, hours] = [Math.floor(left / DAY), Math.floor((left % DAY) / HOUR)];
    if (days) return t("{days} d {hours} h", { days, hours });
    return hours ? t("{hours} h", { hours }) : t("{minutes} min", { minutes: Math.floor(left / MINUTE) });
  }
  const parts = [left / MINUTE, (left % MINUTE) / SECOND].map((part) => String(Math.floor(part)).padStart(2, "0"));
  const time = left < TENTHS ? (Math.floor(left / 100) / 10).toFixed(1) : parts.join(":");
  return left < MINUTE ? `!${time}` : time;
}

/** Return a sentence about the time that is left, for screen readers. @param {number} left @param {boolean} live */
export function speakTime(left, live) {
  const [minutes, seconds] = [Math.floor(left / MINUTE), Math.floor((left % MINUTE) / SECOND)];
  const words = [
    minutes > 0 && n("{number} minute", "{number} minutes", minutes),
    (seconds > 0 || minutes === 0) && describeSeconds(seconds),
  ];
  return t("{time} left.", { time: live ? words.filter(Boolean).join(" ") : writeTime(left, live) });
}

/** @param {number} number */
export const describeSeconds = (number) => n("{number} second", "{number} seconds", number);
