// The playback of a match: the displayed position, which follows the match and shows a bot's
// guesses one by one.

import { isBot, playersOf } from "../game/rules.js";

/**
 * @import {Match, Seat} from "../types.js"
 * @import {Moment} from "./sentences.js"
 */

const SPEEDS = [3, 1.5, 0.7, 0.3]; // seconds per guess
const ENDED_SECONDS = 3; // of showing a code to spectators before the next round
const ENDED_CLOCKED_SECONDS = 6; // the same for players, whose clock of the next round runs already

/**
 * Return every position: each round without a guess, and after each guess.
 * @param {Match} match
 * @returns {Moment[]}
 */
function listMoments({ played, current }) {
  const rounds = current ? [...played, current] : played;
  return rounds.flatMap((round, index) => [undefined, ...round.turns].map((_, turns) => (
    { round, index, turns, ended: round.how !== undefined && turns === round.turns.length }
  )));
}

export class Playback {
  playing = true;
  /** @type {Moment[]} */
  #moments;
  #at;
  #speed = 1;
  #look;
  #changed;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * Show the last position of a match, or the first. `changed` is called after each change.
   * @param {Match} match @param {boolean} fromStart
   * @param {() => {match: Match, seat?: Seat}} look returns the match as it is now
   * @param {() => void} changed
   */
  constructor(match, fromStart, look, changed) {
    this.#moments = listMoments(match);
    this.#at = fromStart ? Math.min(0, this.last) : this.last;
    this.#look = look;
    this.#changed = changed;
  }

  /** The index of the last position; -1 while there is none. */
  get last() {
    return this.#moments.length - 1;
  }

  get at() {
    return this.#at;
  }

  get isLast() {
    return this.#at === this.last;
  }

  /** The displayed position. */
  get moment() {
    return /** @type {Moment | undefined} */ (this.#moments[this.#at]);
  }

  /** Whether the next guesses are a bot's, which are shown one by one. */
  get isPaced() {
    const breaker = (this.#moments[this.#at + 1] ?? this.moment)?.round.breaker;
    return isBot(playersOf(this.#look().match).find(({ id }) => id === breaker));
  }

  /** The seconds per guess. */
  get pace() {
    return SPEEDS[this.#speed];
  }

  /** Use the positions of a changed match. @param {Match} match */
  follow(match) {
    this.#moments = listMoments(match);
    this.#at = Math.min(this.#at, this.last);
  }

  /** Show the positions that are due, and schedule the next one. */
  step() {
    this.stop();
    while (this.playing && !this.isLast) {
      const seconds = this.#findPause();
      if (seconds > 0) {
        const next = () => this.show(this.#at + 1);
        if (seconds < Infinity) this.#timer = setTimeout(next, seconds * 1000);
        break;
      }
      this.#at++;
    }
    this.#changed();
  }

  /** @param {number} index @param {boolean} [goesOn] whether later positions follow */
  show(index, goesOn = this.playing) {
    this.#at = Math.max(0, Math.min(index, this.last));
    this.playing = goesOn || this.isLast;
    this.step();
  }

  /** @param {number} by the number of speeds */
  accelerate(by) {
    this.#speed = Math.max(0, Math.min(this.#speed + by, SPEEDS.length - 1));
    this.step();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** Return the seconds until the next position is shown. */
  #findPause() {
    const { match, seat } = this.#look();
    if (!this.moment?.ended) return this.moment && this.isPaced ? this.pace : 0;
    if (!seat) return ENDED_SECONDS;
    return match.clock?.live ? ENDED_CLOCKED_SECONDS : Infinity;
  }
}
