// Times in words, for sentences and screen readers.

import { MINUTE, SECOND, join, writeTime } from "../elements.js";
import { n, t } from "../texts.js";

/** @param {number} number */
export const describeSeconds = (number) => n("{number} second", "{number} seconds", number);

/**
 * Return a sentence about the time that is left, for screen readers.
 * @param {number} left @param {boolean} live
 */
export function speakTime(left, live) {
  const [minutes, seconds] = [Math.floor(left / MINUTE), Math.floor((left % MINUTE) / SECOND)];
  const time = join(
    " ",
    minutes && n("{number} minute", "{number} minutes", minutes),
    (seconds || !minutes) && describeSeconds(seconds),
  );
  return t("{time} left.", { time: live ? time : writeTime(left, live) });
}
