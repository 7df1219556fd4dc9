// The match: a fold of its events, the checks of requests, and the check of a finished round.
// Everything here is a pure function. Optional fields that are absent are undefined.

import { sha256 } from "./sha256.js";
import { texts } from "./texts.js";

/**
 * @typedef {import("./texts.js").Rules} Rules
 * @typedef {"maker" | "breaker"} Seat
 * @typedef {"gathering" | "setting" | "breaking" | "finished"} Phase
 * @typedef {{id: string, name: string, bot?: string, program?: boolean}} Player `name` is untrusted text.
 * @typedef {number[]} Code the colour of each peg, from 0
 * @typedef {{black: number, white: number}} Feedback
 * @typedef {{code: Code, black: number, white: number}} Turn a guess and its feedback
 *
 * @typedef {object} Round
 * @property {string} maker The player id of the codemaker.
 * @property {string} breaker The player id of the codebreaker.
 * @property {Uint8Array} [commitment] Absent before the secret is set, and for adaptive codemakers.
 * @property {Code} [secret] Only its codemaker knows it before the round ends.
 * @property {Uint8Array} [nonce]
 * @property {Turn[]} turns
 * @property {number[]} advised The numbers, from 1, of guesses with advice.
 * @property {"broken" | "exhausted" | "resigned" | "left"} [how] Absent until the round ends.
 * @property {number} points The codemaker's.
 *
 * @typedef {object} Match
 * @property {{rules: string, rounds: number, public?: boolean, rated?: boolean, previous?: string, reserved?: string}} opened
 * @property {Rules} rules
 * @property {Phase} phase
 * @property {Player} [maker] The codemaker of the current round, as far as the seat is taken.
 * @property {Player} [breaker]
 * @property {Round} [current] The running round.
 * @property {Round[]} played The ended rounds.
 * @property {string[]} left The ids of the players who left.
 * @property {{how: "played" | "left" | "closed", winner?: string}} [outcome]
 * @property {string} [rematch] The match code of the rematch.
 *
 * @typedef {{event: string, [field: string]: any}} Event
 * @typedef {[number, Event[]]} Row the version, and the events of one request
 * @typedef {{op: string, code?: Code, seat?: Seat, [field: string]: any}} Command a request of a match
 * @typedef {{reason: string, values: {[name: string]: unknown}}} Objection
 * @typedef {{kind: "hidden" | "changed" | "illegal" | "feedback", guess?: number}} Fraud
 *     No code, nonce or commitment; a code that does not match the commitment; a code that does not
 *     fit the rules; a false feedback to the guess with this number, from 1.
 */

/** A request that was refused, by the server or before it was sent. */
export class Refusal extends Error {
  /**
   * @param {string} code @param {string} message in English
   * @param {{reason?: string, values?: {[name: string]: unknown}, retryAfter?: number, limit?: number, field?: string}} [details]
   */
  constructor(code, message, { reason, values = {}, retryAfter, limit, field } = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.values = values;
    this.retryAfter = retryAfter;
    this.limit = limit;
    this.field = field;
  }
}

/**
 * Return the rules of this name: a preset, or PEGSxCOLOURS/GUESSES. Throws for an unknown name.
 * @param {string} name
 * @returns {Rules}
 */
export function findRules(name) {
  const wanted = name.trim().toLowerCase();
  if (Object.hasOwn(texts.presets, wanted)) return texts.presets[wanted];
  const parts = /^([1-9]\d?)x([1-9]\d?)(?:\/([1-9]\d?))?$/.exec(wanted);
  const [pegs, colours] = parts ? [Number(parts[1]), Number(parts[2])] : [0, 0];
  const { custom, limits } = texts;
  if (!parts || pegs > limits.pegs || colours < 2 || colours > custom.palette.length) {
    throw new RangeError(`unknown rules: ${name}`);
  }
  const guesses = Number(parts[3] ?? custom.guesses);
  const palette = custom.palette.slice(0, colours);
  const alphabets = custom.alphabets.map((alphabet) => alphabet.slice(0, colours));
  return { name: `${pegs}x${colours}/${guesses}`, pegs, guesses, palette, alphabets };
}

/** Return the characters of `code`. @param {Code} code @param {Rules} rules */
export function formatCode(code, rules) {
  return code.map((colour) => rules.alphabets[0][colour]).join("");
}

/**
 * Return the colour of a typed character, or undefined.
 * @param {string} symbol @param {Rules} rules
 */
export function parseSymbol(symbol, rules) {
  const found = rules.alphabets.map((alphabet) => alphabet.indexOf(symbol.toUpperCase()));
  return symbol.length === 1 ? found.find((colour) => colour >= 0) : undefined;
}

/**
 * Return the feedback to `guess`.
 * @param {Code} code the secret @param {Code} guess
 * @returns {Feedback}
 */
export function feedback(code, guess) {
  const black = code.filter((colour, peg) => colour === guess[peg]).length;
  /** @param {Code} pegs @param {number} colour */
  const count = (pegs, colour) => pegs.filter((peg) => peg === colour).length;
  const common = [...new Set(code)].map((colour) => Math.min(count(code, colour), count(guess, colour)));
  return { black, white: common.reduce((sum, number) => sum + number, 0) - black };
}

/** Return the seat of a player in the current round. @param {Match} match @param {string} [playerId] @returns {Seat | undefined} */
export function seatOf(match, playerId) {
  if (playerId === undefined) return undefined;
  if (match.maker?.id === playerId) return "maker";
  return match.breaker?.id === playerId ? "breaker" : undefined;
}

/** Return the seated players, the codemaker first. @param {Match} match @returns {Player[]} */
export function playersOf(match) {
  return [match.maker, match.breaker].filter((player) => player !== undefined);
}

/** Return the player who must move. @param {Match} match @returns {Player | undefined} */
export function toMove(match) {
  if (match.phase === "setting") return match.maker;
  return match.phase === "breaking" ? match.breaker : undefined;
}

/** Return the number of the current round, or after the match of the last. @param {Match} match */
export function roundNumber(match) {
  return Math.min(match.played.length + 1, match.opened.rounds);
}

/** Return the points of a player in all ended rounds. @param {Match} match @param {string} playerId */
export function pointsOf(match, playerId) {
  const rounds = match.played.filter((round) => round.maker === playerId);
  return rounds.reduce((sum, round) => sum + round.points, 0);
}

/** Return whether a bot of the server or a program plays. @param {Player} [player] */
export function isBot(player) {
  return player !== undefined && (player.program === true || player.bot !== undefined);
}

/** @param {Match} match @returns {Round} */
function currentRound(match) {
  if (!match.current) throw new RangeError(`no running round: the match is ${match.phase}`);
  return match.current;
}

/** @param {Match} match @param {string} [playerId] */
function isAdvised(match, playerId) {
  if (match.phase !== "breaking" || seatOf(match, playerId) !== "breaker") return false;
  const round = currentRound(match);
  return round.advised.includes(round.turns.length + 1);
}

/**
 * Return why `code` does not fit the rules, or undefined.
 * @param {Code} code @param {Rules} rules
 * @returns {Objection | undefined}
 */
export function refuseCode(code, rules) {
  const values = { rules: rules.name, pegs: rules.pegs };
  if (code.length === 0) return { reason: "no_pegs", values };
  if (code.length !== rules.pegs) return { reason: "wrong_length", values: { ...values, number: code.length } };
  const peg = code.findIndex((colour) => !(colour >= 0 && colour < rules.palette.length));
  if (peg < 0) return undefined;
  const colours = { colour: code[peg], most: rules.palette.length - 1 };
  return { reason: "unknown_colour", values: { ...values, ...colours, peg: peg + 1 } };
}

/**
 * Return why the server would refuse `command` of a player now, or undefined if it is legal.
 * @param {Match} match @param {Command} command @param {string} [playerId]
 * @param {Player} [player] for `join`: the player; a person without it
 * @returns {Objection | undefined}
 */
export function refuse(match, command, playerId, player) {
  const seat = seatOf(match, playerId);
  const seats = texts.legal[match.phase][command.op];
  /** @param {string | false | undefined} reason @param {{[name: string]: unknown}} [values] */
  const because = (reason, values = {}) => (reason ? { reason, values } : undefined);
  if (!seats?.includes(seat ?? "")) return because(explainIllegal(match, command.op, seat, seats !== undefined));
  if (match.left.includes(playerId ?? "")) return because("you_have_left");
  switch (command.op) {
    case "guess":
    case "secret":
      return refuseCode(command.code ?? [], match.rules);
    case "join": {
      if (command.seat && match[command.seat]) return because(`${command.seat}_is_there`);
      if (match.opened.rated && isBot(player)) return because("rated_seat");
      const { reserved } = match.opened;
      return because(playersOf(match).length > 0 && reserved && reserved !== playerId && "seat_is_kept");
    }
    case "advise":
      if (match.opened.rated) return because("rated_without_advice");
      return because(isAdvised(match, playerId) && "advice_taken");
    case "rematch":
      if (match.left.length > 0) return because("opponent_left");
      return because(match.rematch && "rematch_offered", { match: match.rematch });
  }
  return undefined;
}

/** @param {Match} match @param {string} op @param {Seat | undefined} seat @param {boolean} forOtherSeat */
function explainIllegal(match, op, seat, forOtherSeat) {
  const notNow = match.phase === "finished" ? "not_when_finished" : `not_while_${match.phase}`;
  if (op === "join") {
    if (seat) return `you_are_${seat}`;
    return match.phase === "finished" ? notNow : "both_seats_taken";
  }
  if (!seat) return "not_seated";
  return forOtherSeat ? (match.phase === "setting" ? "makers_turn" : "breakers_turn") : notNow;
}

/** Return how the running round ends now, or undefined. @param {Match} match */
function findEnding(match) {
  const { turns } = currentRound(match);
  if (turns.at(-1)?.black === match.rules.pegs) return "broken";
  if (turns.length === (match.rules.guesses ?? texts.limits.unlimitedGuesses)) return "exhausted";
  return match.left.length > 0 ? "left" : undefined;
}

/** Return the codemaker's points for a round that ends by `how`. @param {Match} match @param {string} how */
function countPoints(match, how) {
  const { turns, maker } = currentRound(match);
  if (how === "broken") return turns.length;
  if (match.left.includes(maker)) return 0;
  return (match.rules.guesses ?? Math.max(turns.length, texts.limits.usualGuesses)) + 1;
}

/** Return how the match ends now, or undefined. @param {Match} match @returns {Match["outcome"]} */
function findOutcome(match) {
  if (match.outcome || (match.phase !== "finished" && match.left.length === 0)) return undefined;
  if (match.left.length > 0) {
    if (match.phase === "gathering") return { how: "closed" };
    return { how: "left", winner: playersOf(match).find((player) => !match.left.includes(player.id))?.id };
  }
  const last = match.played[match.played.length - 1];
  if (match.opened.rounds === 1) return { how: "played", winner: last.how === "broken" ? last.breaker : last.maker };
  const difference = pointsOf(match, last.maker) - pointsOf(match, last.breaker);
  if (difference === 0) return { how: "played" };
  return { how: "played", winner: difference > 0 ? last.maker : last.breaker };
}

/** Return whether `event` can follow. @param {Match} match @param {Event} event */
function isLegal(match, event) {
  const ending = match.phase === "breaking" ? findEnding(match) : undefined;
  const outcome = match.phase === "breaking" ? undefined : findOutcome(match);
  if (event.event === "finished") return outcome?.how === event.how && outcome?.winner === event.winner;
  if (event.event === "round_ended" && event.how !== "resigned") return ending === event.how && isConsistent(match, event);
  if (ending || outcome) return false;
  const breaker = match.breaker?.id;
  /** @type {{[event: string]: [string, string | undefined, Player?]}} the request that causes an event, and its player */
  const causes = {
    joined: ["join", event.player?.id, event.player], secret: ["secret", event.by], advised: ["advise", event.by],
    guessed: ["guess", breaker], round_ended: ["resign", breaker], left: ["leave", event.player], rematch: ["rematch", event.by],
  };
  if (!Object.hasOwn(causes, event.event)) return false;
  const [op, by, player] = causes[event.event];
  const code = event.code ?? Array(match.rules.pegs).fill(0); // others see a secret without its code
  const command = { op, seat: event.seat, code };
  return refuse(match, command, by, player) === undefined && isConsistent(match, event);
}

/** Return whether the fields of `event` agree with each other and with the match. @param {Match} match @param {Event} event */
function isConsistent(match, event) {
  const { rules } = match;
  switch (event.event) {
    case "guessed":
      return event.black + event.white <= rules.pegs;
    case "secret":
      if (!event.commitment) return match.maker?.bot !== undefined && !event.nonce;
      if (!event.code || !event.nonce) return !event.code && !event.nonce;
      return isCommitment(event.commitment, event.nonce, event.code);
    case "round_ended": {
      const { commitment, secret } = currentRound(match);
      const shown = !secret || String(secret) === String(event.code);
      return !event.nonce === !commitment && shown && !refuseCode(event.code, rules) && event.points === countPoints(match, event.how);
    }
    case "left": {
      const people = playersOf(match).filter((player) => player.bot === undefined);
      const mover = toMove(match);
      const awaited = !people.length || (mover && people.includes(mover)) ? mover : people[0];
      if (event.absent && (match.phase === "finished" || awaited?.id !== event.player)) return false;
      return !event.why || (!event.absent && isBot(playersOf(match).find((player) => player.id === event.player)));
    }
  }
  return true;
}

/** @param {Uint8Array} commitment @param {Uint8Array} nonce @param {Code} code */
function isCommitment(commitment, nonce, code) {
  return String(sha256(Uint8Array.from([...nonce, ...code]))) === String(commitment);
}

/**
 * Return the match after `event`, which the first time is `opened`. Throws for an event that cannot
 * follow, and for unknown rules.
 * @param {Match | undefined} match @param {Event} event
 * @returns {Match}
 */
export function evolve(match, event) {
  if (!match) {
    if (event.event !== "opened") throw new RangeError("a match begins with opened");
    const { event: _, ...opened } = event;
    return { opened: /** @type {Match["opened"]} */ (opened), rules: findRules(event.rules), phase: "gathering", played: [], left: [] };
  }
  if (!isLegal(match, event)) throw new RangeError(`${event.event} cannot follow: the match is ${match.phase}`);
  /** @param {Partial<Round>} changes @returns {Match} */
  const inRound = (changes) => ({ ...match, current: { ...currentRound(match), ...changes } });
  switch (event.event) {
    case "joined":
      return startRound({ ...match, [event.seat]: event.player });
    case "secret":
      return { ...inRound({ commitment: event.commitment, secret: event.code, nonce: event.nonce }), phase: "breaking" };
    case "advised": {
      const { advised, turns } = currentRound(match);
      return inRound({ advised: [...advised, turns.length + 1] });
    }
    case "guessed":
      return inRound({ turns: [...currentRound(match).turns, { code: event.code, black: event.black, white: event.white }] });
    case "round_ended":
      return endRound(match, event);
    case "left":
      return { ...match, left: [...match.left, event.player] };
    case "finished":
      return { ...match, phase: "finished", current: undefined, outcome: { how: event.how, winner: event.winner } };
    default:
      return { ...match, rematch: event.match };
  }
}

/** Return the match with a new round if both seats are taken. @param {Match} match @returns {Match} */
function startRound(match) {
  const { maker, breaker } = match;
  if (!maker || !breaker) return match;
  return { ...match, phase: "setting", current: { maker: maker.id, breaker: breaker.id, turns: [], advised: [], points: 0 } };
}

/** @param {Match} match @param {Event} event @returns {Match} */
function endRound(match, event) {
  const { how, code, nonce, points } = event;
  const played = [...match.played, { ...currentRound(match), how, secret: code, nonce, points }];
  if (how === "left" || played.length === match.opened.rounds) return { ...match, played, current: undefined, phase: "finished" };
  return startRound({ ...match, played, maker: match.breaker, breaker: match.maker });
}

/**
 * Return the match after all `rows`.
 * @param {Row[]} rows @param {Match} [match] the match before them
 * @returns {Match | undefined}
 */
export function fold(rows, match) {
  return rows.flatMap(([, events]) => events).reduce(evolve, match);
}

/**
 * Return the first contradiction in an ended round, or undefined if it was fair. A codemaker that
 * keeps no code has no commitment: then only code and feedback are checked.
 * @param {Round} round @param {Rules} rules
 * @returns {Fraud | undefined}
 */
export function checkRound({ secret, nonce, commitment, turns }, rules) {
  if (!secret || !nonce !== !commitment) return { kind: "hidden" };
  if (nonce && commitment && !isCommitment(commitment, nonce, secret)) return { kind: "changed" };
  if (refuseCode(secret, rules)) return { kind: "illegal" };
  const guess = turns.findIndex(({ code, black, white }) => {
    const right = feedback(secret, code);
    return right.black !== black || right.white !== white;
  });
  return guess < 0 ? undefined : { kind: "feedback", guess: guess + 1 };
}
