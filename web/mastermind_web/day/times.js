// The days of codes: when they begin and end, and how days, times and places are written.

import { DAY, HOUR, MINUTE, SECOND } from "../elements.js";
import { locale } from "../figures.js";
import { t, texts } from "../texts.js";

// Times are in milliseconds since 1970. A day is a UTC date.

/** Return the time at which tries at the code of a day can begin. @param {number} day */
export const findStart = (day) => texts.days.start + day * DAY;

/** Return the time at which tries at the code of a day end. @param {number} day */
export const findTriesEnd = (day) => findStart(day + 1) + texts.days.finish;

/** Return the time from which the code of a day is shown to all. @param {number} day */
export const findReveal = (day) => findStart(day + 1) + texts.days.reveal;

/**
 * Return the number of the day of a try, or undefined for another match.
 * @param {import("../types.js").Match} match
 */
export function findContestDay({ opened: { contest } }) {
  const found = /^day\/(\d+)$/.exec(contest ?? "");
  return found ? Number(found[1]) : undefined;
}

/** Return the month of a time, as requests name it: `2026-11`. @param {number} time */
export const monthOf = (time) => new Date(time).toISOString().slice(0, 7);

/** Return the month `step` months after `month`. @param {string} month @param {number} step */
export function changeMonth(month, step) {
  const [year, number] = month.split("-").map(Number);
  return monthOf(Date.UTC(year, number - 1 + step));
}

/** Return the date of a day: `Tuesday 24 November`. @param {number} day */
export const writeDate = (day) => write(findStart(day), {
  weekday: "long", day: "numeric", month: "long",
});

/** Return the date of a day in few letters: `Tue 24`. @param {number} day */
export const writeShortDate = (day) => write(findStart(day), { weekday: "short", day: "numeric" });

/** Return the name of a month: `November 2026`. @param {string} month */
export const writeMonth = (month) => write(Date.parse(`${month}-01`), {
  month: "long", year: "numeric",
});

/** @param {number} time @param {Intl.DateTimeFormatOptions} format */
const write = (time, format) => (
  new Date(time).toLocaleDateString(locale(), { ...format, timeZone: "UTC" })
);

/** Return the reader's time of day at a time: `01:30`. @param {number} time */
export const writeHour = (time) => (
  new Date(time).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" })
);

/** Return the time until an event: `09:56:12`. @param {number} left milliseconds */
export function writeCountdown(left) {
  const whole = Math.max(0, left);
  const parts = [whole / HOUR, (whole % HOUR) / MINUTE, (whole % MINUTE) / SECOND];
  return parts.map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
}

/** Return the time of a try: `01:12`, or `1:01:12`. @param {number} time milliseconds */
export const writeDuration = (time) => writeCountdown(time).replace(/^00:|^0/, "");

/** Return a place in words: `19th`. @param {number} place */
export function writePlace(place) {
  const number = place;
  const isTeen = Math.floor((place % 100) / 10) === 1;
  switch (isTeen ? 0 : place % 10) {
    case 1: return t("{number}st", { number });
    case 2: return t("{number}nd", { number });
    case 3: return t("{number}rd", { number });
  }
  return t("{number}th", { number });
}
