// The rules of the game: codes, clocks, and the players and points of a match. Pure functions.

import { n, t, texts } from "../texts.js";

/**
 * @import {Clock, Code, Match, Phase, Player, Round, Seat, Timer} from "../types.js"
 * @import {Rules} from "../texts.js"
 */

// Rules and codes

/**
 * Return the rules of a name: a preset, or PEGSxCOLOURS/GUESSES, with a u after the colours if no
 * code has one twice. Throws for any other name.
 * @param {string} name
 * @returns {Rules}
 */
export function findRules(name) {
  const { presets, custom, limits } = texts;
  const wanted = name.trim().toLowerCase();
  if (Object.hasOwn(presets, wanted)) return presets[wanted];
  const parts = /^([1-9]\d?)x([1-9]\d?)(u?)(?:\/([1-9]\d?))?$/.exec(wanted) ?? [];
  const [pegs, colours, guesses] = [parts[1], parts[2], parts[4] ?? custom.guesses].map(Number);
  const unique = parts[3] === "u";
  const isKnown = pegs <= limits.pegs && colours >= 2 && colours <= custom.palette.length;
  if (!isKnown || countCodes(pegs, colours, unique) === 0) {
    throw new RangeError(`unknown rules: ${name}`);
  }
  const palette = custom.palette.slice(0, colours);
  const alphabets = custom.alphabets.filter(({ length }) => length >= colours)
    .map((alphabet) => alphabet.slice(0, colours));
  const size = writeSize({ pegs, palette, unique });
  return { name: `${size}/${guesses}`, pegs, guesses, palette, alphabets, unique };
}

/**
 * Return the size of the codes: 4x6, or 4x10u if none has a colour twice.
 * @param {Pick<Rules, "pegs" | "palette" | "unique">} rules
 */
export const writeSize = ({ pegs, palette, unique }) => (
  `${pegs}x${palette.length}${unique ? "u" : ""}`
);

/**
 * Return the number of codes, which have no colour twice if they are `unique`.
 * @param {number} pegs @param {number} colours @param {boolean} [unique]
 */
export function countCodes(pegs, colours, unique) {
  let codes = 1;
  for (let peg = 0; peg < pegs; peg++) codes *= unique ? Math.max(0, colours - peg) : colours;
  return codes;
}

/**
 * Return the number of colours, or of digits if codes have no letters: 10 digits, no repeats.
 * @param {Rules} rules
 */
export function describeColours({ alphabets, palette, unique }) {
  const colours = alphabets.every(([first]) => first <= "9")
    ? n("{number} digit", "{number} digits", palette.length)
    : n("{number} colour", "{number} colours", palette.length);
  return unique ? [colours, t("no repeats")].join(", ") : colours;
}

/** Return the colour of a typed character, if any. @param {string} symbol @param {Rules} rules */
export function parseSymbol(symbol, rules) {
  const found = rules.alphabets.map((alphabet) => alphabet.indexOf(symbol.toUpperCase()));
  return symbol.length === 1 ? found.find((colour) => colour >= 0) : undefined;
}

/**
 * Return whether `commitment` is that of the nonce and the code.
 * @param {Uint8Array} commitment @param {Uint8Array} nonce @param {Code} code
 */
export function isCommitment(commitment, nonce, code) {
  return String(sha256(Uint8Array.from([...nonce, ...code]))) === String(commitment);
}

/** Return whether `code` fits the rules. @param {Code} code @param {Rules} rules */
export function isCode(code, { pegs, palette, unique }) {
  return code.length === pegs && code.every((colour) => colour >= 0 && colour < palette.length)
    && !(unique && hasRepeat(code));
}

/** Return whether a row has a colour twice. @param {(number | undefined)[]} pegs */
export const hasRepeat = (pegs) => (
  pegs.some((colour, peg) => colour !== undefined && pegs.indexOf(colour) < peg)
);

// Clocks

/**
 * Return the clock of a name: MINUTES+SECONDS, SECONDS/move or DAYSd/move. Throws for any other
 * name. The server checks the limits.
 * @param {string} name
 * @returns {Clock}
 */
export function findClock(name) {
  const form = /^(?:(\d{1,2})\+(\d{1,2})|(\d{1,3})\/move|(\d{1,2})d\/move)$/;
  const parts = form.exec(name.trim().toLowerCase());
  if (!parts) throw new RangeError(`unknown clock: ${name}`);
  const [minutes, increment, seconds, days] = parts.slice(1).map((part) => Number(part ?? 0));
  const move = seconds * 1000 + days * 86_400_000;
  return { base: minutes * 60_000, increment: increment * 1000, move, live: days === 0 };
}

/**
 * Return the time of a phase, or of each of its moves.
 * @param {Clock} clock @param {Phase} phase
 */
export function wholeTime({ move, base, live }, phase) {
  const { settingLeast, settingMost } = texts.clocks;
  const time = move || base;
  if (!live || phase !== "setting") return time;
  return Math.max(settingLeast, Math.min(time, settingMost));
}

/** Start the timer of the phase. @param {Match} match @returns {Match} */
export function startTimer(match) {
  const { clock, at, phase } = match;
  if (!clock) return match;
  return { ...match, timer: { since: at, left: wholeTime(clock, phase), credited: 0 } };
}

/**
 * Return the part of a move's `latency` that may be credited.
 * @param {Timer} timer @param {number} latency
 */
export function limitCredit({ credited }, latency) {
  const { credit, roundCredit } = texts.clocks;
  return Math.min(latency, credit, roundCredit - credited);
}

/**
 * Return the timer after a guess with a credited latency.
 * @param {Match} match @param {number} lag
 */
export function countGuess({ clock, timer, at }, lag) {
  if (!clock || !timer) return undefined;
  const unused = Math.max(0, timer.left - Math.max(0, at - timer.since - lag));
  const left = clock.move || unused + clock.increment;
  return { since: at, left, credited: timer.credited + lag };
}

/**
 * Return whether the time of the player to move was over at the last row. A move at the deadline is
 * in time, and the server's bots always are.
 * @param {Match} match @param {number} latency of the move
 */
export function isTimeOver(match, latency) {
  const { timer, at } = match;
  const mover = toMove(match);
  if (!timer || !mover || mover.bot !== undefined) return false;
  return at > timer.since + timer.left + limitCredit(timer, latency);
}

// Facts of a match

/** Return the seat of a player in the current round. @param {Match} match @param {string} [id] */
export function seatOf(match, id) {
  /** @type {Seat[]} */
  const seats = ["maker", "breaker"];
  return seats.find((seat) => id !== undefined && match[seat]?.id === id);
}

/** Return the seated players, the codemaker first. @param {Match} match */
export function playersOf({ maker, breaker }) {
  return [maker, breaker].filter((player) => player !== undefined);
}

/** Return the player who must move, if any. @param {Match} match */
export function toMove({ phase, maker, breaker }) {
  return { gathering: undefined, setting: maker, breaking: breaker, finished: undefined }[phase];
}

/** Return the number of the current round, or after the match of the last. @param {Match} match */
export function roundNumber(match) {
  return Math.min(match.played.length + 1, match.opened.rounds);
}

/** Return the points of a player in all ended rounds. @param {Match} match @param {string} id */
export function pointsOf(match, id) {
  const rounds = match.played.filter(({ maker }) => maker === id);
  return rounds.reduce((sum, { points }) => sum + points, 0);
}

/**
 * Return whether players may use aids: advice, and marks of excluded colours.
 * @param {Match} match
 */
export const allowsAids = ({ opened }) => !opened.rated && !opened.contest;

/**
 * Return whether an ended round waits for its contest to reveal the secret.
 * @param {Round} round
 */
export const awaitsProof = ({ how, secret, nonce }) => how !== undefined && !secret && !nonce;

/** Return whether a bot of the server or a program plays. @param {Player} [player] */
export function isBot(player) {
  return player !== undefined && (player.program === true || player.bot !== undefined);
}

/** Return the running round. Throws a RangeError without one. @param {Match} match */
export function currentRound({ current, phase }) {
  if (!current) throw new RangeError(`no running round: the match is ${phase}`);
  return current;
}

// SHA-256 (FIPS 180-4). Web Crypto has it too, but not on pages without TLS.

/** @type {number[]} */
const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number++) {
  if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
}
/** Return the first 32 bits of the fraction of `number`. @param {number} number */
const fraction = (number) => ((number % 1) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

/** @param {number} word @param {number} bits */
const rotate = (word, bits) => (word >>> bits) | (word << (32 - bits));

/**
 * Return the 32 bytes of the SHA-256 of `bytes`.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
export function sha256(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 64; t++) {
      if (t < 16) words[t] = view.getInt32(block + 4 * t);
      else {
        const [x, y] = [words[t - 15], words[t - 2]];
        const low = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
        const high = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
        words[t] = words[t - 16] + low + words[t - 7] + high;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t++) {
      const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + high + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]) | 0;
      const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] += word));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setInt32(4 * index, word));
  return new Uint8Array(digest.buffer);
}
