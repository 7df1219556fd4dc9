// The match as a fold of its events, and the checks of requests and events. checks.js has those of
// a finished match. Everything here is a pure function.

import { texts } from "../texts.js";
import {
  allowsAids, countGuess, currentRound, findClock, findRules, isBot, isCode, isCommitment,
  isTimeOver, limitCredit, playersOf, pointsOf, seatOf, startTimer, toMove,
} from "./rules.js";

/**
 * @import {Command, Event, Match, Player, Proof, Round, RoundEnded, Row, Seat} from "../types.js"
 */

// The checks of requests

/**
 * Return whether the server accepts `command` of a player now.
 * @param {Match} match @param {Command} command @param {string} [id] the player's
 * @param {Player} [player] the player who joins; without it a person
 */
export function isAllowed(match, { op, code = [], seat }, id, player) {
  const { left, opened, phase, rematch, rules } = match;
  const seats = texts.legal[phase][op] ?? [];
  if (!seats.includes(seatOf(match, id) ?? "") || left.includes(id ?? "")) return false;
  switch (op) {
    case "guess":
    case "secret":
      return isCode(code, rules);
    case "join":
      if ((seat && match[seat]) || (opened.rated && isBot(player))) return false;
      return [undefined, id].includes(opened.reserved) || playersOf(match).length === 0;
    case "decline":
      return opened.reserved === id && playersOf(match).length > 0;
    case "advise": {
      const { advised, turns } = currentRound(match);
      return allowsAids(match) && !advised.includes(turns.length + 1);
    }
    case "rematch":
      return left.length === 0 && !rematch && !opened.contest;
  }
  return true;
}

// The checks of events

/** Return how the running round ends now, or undefined. @param {Match} match */
function findEnding(match) {
  const { turns } = currentRound(match);
  if (turns.at(-1)?.black === match.rules.pegs) return "broken";
  if (turns.length === (match.rules.guesses ?? texts.limits.unlimitedGuesses)) return "exhausted";
  return match.left.length > 0 ? "left" : undefined;
}

/** Return the codemaker's points after an end `how`. @param {Match} match @param {string} how */
function countPoints(match, how) {
  const { turns, maker } = currentRound(match);
  if (how === "broken") return turns.length;
  if (match.left.includes(maker)) return 0;
  return (match.rules.guesses ?? Math.max(turns.length, texts.limits.usualGuesses)) + 1;
}

/** Return how the match ends now, or undefined. @param {Match} match @returns {Match["outcome"]} */
function findOutcome(match) {
  const { left, phase, outcome, played, opened, clock } = match;
  if (outcome || (phase !== "finished" && left.length === 0)) return undefined;
  const hasNoGuess = played.every(({ how, turns }) => how === "left" && turns.length === 0);
  if (left.length > 0 && (phase === "gathering" || (clock?.live && hasNoGuess))) {
    return { how: "closed" };
  }
  if (left.length > 0) {
    return { how: "left", winner: playersOf(match).find(({ id }) => !left.includes(id))?.id };
  }
  const { how, maker, breaker } = played[played.length - 1];
  const ahead = pointsOf(match, maker) - pointsOf(match, breaker);
  const makerWins = opened.rounds === 1 ? how !== "broken" : ahead > 0;
  if (ahead === 0) return { how: "played" }; // never after one round
  return { how: "played", winner: makerWins ? maker : breaker };
}

/**
 * Return whether the server writes `event` in this phase when a player's time is over.
 * @param {Match} match @param {Event} event
 */
function endsTime({ phase, played, left }, event) {
  if (phase === "breaking") return event.event === "round_ended" && event.how === "time";
  if (phase !== "setting" || left.length > 0) return false;
  if (played.length === 0) return event.event === "finished";
  return event.event === "secret" && event.by === "server";
}

/**
 * Return the request that causes `event`, with its player, or undefined if no request does.
 * @param {Match} match @param {Event} event
 * @returns {{by?: string, command: Command, joins?: Player} | undefined}
 */
function findCause({ breaker, rules }, event) {
  // A legal code in place of one that is not shown.
  const hidden = Array.from({ length: rules.pegs }, (_, peg) => peg % rules.palette.length);
  switch (event.event) {
    case "joined": {
      const { player, seat } = event;
      return { by: player.id, command: { op: "join", seat }, joins: player };
    }
    case "declined":
      return { by: event.by, command: { op: "decline" } };
    case "secret":
      return { by: event.by, command: { op: "secret", code: event.code ?? hidden } };
    case "advised":
      return { by: event.by, command: { op: "advise" } };
    case "guessed":
      return { by: breaker?.id, command: { op: "guess", code: event.code } };
    case "round_ended":
      return { by: breaker?.id, command: { op: "resign" } };
    case "left":
      return { by: event.player, command: { op: "leave" } };
    case "rematch":
      return { by: event.by, command: { op: "rematch" } };
  }
  return undefined;
}

/** Return whether `event` can follow. @param {Match} match @param {Event} event */
function isLegal(match, event) {
  const { phase, played, outcome: end, opened, timer, unrated, ratings } = match;
  const isLive = match.clock?.live === true;
  const isRated = opened.rated && !unrated;
  if (event.event === "unrated") return isRated && phase === "setting" && played.length === 0;
  if (event.event === "resumed") return timer !== undefined;
  if (event.event === "rated") {
    const ids = event.players.map(({ player }) => player);
    const isOfBoth = String(ids) === String(playersOf(match).map(({ id }) => id));
    return end && end.how !== "closed" && isRated && isLive && !ratings && isOfBoth;
  }
  if (event.event === "secret" && opened.contest) {
    const isSetting = phase === "setting" && match.left.length === 0;
    const isSealed = event.by === "server" && event.commitment !== undefined;
    return isSetting && isSealed && isConsistent(match, event);
  }
  if (endsTime(match, event)) {
    return isLive && isTimeOver(match, 0) && isConsistent(match, event);
  }
  const ending = match.phase === "breaking" ? findEnding(match) : undefined;
  const outcome = match.phase === "breaking" ? undefined : findOutcome(match);
  if (event.event === "finished") {
    return outcome?.how === event.how && outcome?.winner === event.winner;
  }
  if (event.event === "round_ended" && event.how !== "resigned") {
    return ending === event.how && isConsistent(match, event);
  }
  const cause = findCause(match, event);
  if (ending || outcome || !cause) return false;
  const isTimed = event.event === "guessed" || event.event === "secret";
  const lag = isTimed ? (event.lag ?? 0) : Infinity;
  const isFree = event.event === "joined" || event.event === "left";
  if (isLive && !isFree && isTimeOver(match, lag)) return false;
  const allowed = isAllowed(match, cause.command, cause.by, cause.joins);
  return allowed && isConsistent(match, event);
}

/**
 * Return whether the credited latency of a move is what the timer allows.
 * @param {Match} match @param {number} [lag]
 */
const isCredited = ({ timer }, lag = 0) => lag === (timer ? limitCredit(timer, lag) : 0);

/**
 * Return whether the fields of `event` agree with each other and with the match.
 * @param {Match} match @param {Event} event
 */
function isConsistent(match, event) {
  switch (event.event) {
    case "finished":
      return event.how === "closed" && !event.winner;
    case "joined":
      return !event.rating || match.opened.rated;
    case "guessed":
      return isCredited(match, event.lag) && event.black + event.white <= match.rules.pegs;
    case "secret": {
      const { code, nonce, commitment, lag } = event;
      if (!isCredited(match, lag)) return false;
      if (!commitment) return match.maker?.bot !== undefined && !nonce;
      return code && nonce ? isCommitment(commitment, nonce, code) : !code && !nonce;
    }
    case "round_ended": {
      const { code, nonce, how, points } = event;
      const { secret, commitment } = currentRound(match);
      const { opened: { contest }, rules } = match;
      if (points !== countPoints(match, how)) return false;
      if (!code || contest) return !code && !nonce && contest !== undefined;
      const isShown = !secret || String(secret) === String(code);
      return isShown && !nonce === !commitment && isCode(code, rules);
    }
    case "left": {
      const player = playersOf(match).find(({ id }) => id === event.player);
      const people = playersOf(match).filter(({ bot }) => bot === undefined);
      const mover = toMove(match);
      const awaited = people.find((person) => person === mover) ?? people[0] ?? mover;
      if (event.absent) return !event.why && match.phase !== "finished" && awaited === player;
      return !event.why || isBot(player);
    }
  }
  return true;
}

// The fold

/**
 * Return the match after `event`, which is `opened` if there is no match yet. Throws for an event
 * that cannot follow, and for unknown rules.
 * @param {Match | undefined} match @param {Event} event
 * @returns {Match}
 */
export function evolve(match, event) {
  if (!match) {
    if (event.event !== "opened") throw new RangeError("a match begins with opened");
    const clock = event.clock ? findClock(event.clock) : undefined;
    const empty = { at: 0, played: [], left: [], before: {} };
    return { opened: event, rules: findRules(event.rules), clock, phase: "gathering", ...empty };
  }
  if (!isLegal(match, event)) {
    throw new RangeError(`${event.event} cannot follow: the match is ${match.phase}`);
  }
  /** @param {Partial<Round>} changes @returns {Match} */
  const inRound = (changes) => ({ ...match, current: { ...currentRound(match), ...changes } });
  switch (event.event) {
    case "joined": {
      const { player, rating, seat } = event;
      const before = rating ? { ...match.before, [player.id]: rating } : match.before;
      return startRound({ ...match, before, [seat]: player });
    }
    case "secret": {
      const { commitment, code: secret, nonce, by } = event;
      const set = inRound({ commitment, secret, nonce, drawn: by === "server" });
      return startTimer({ ...set, phase: "breaking" });
    }
    case "advised": {
      const { advised, turns } = currentRound(match);
      return inRound({ advised: [...advised, turns.length + 1] });
    }
    case "guessed": {
      const { code, black, white, lag = 0 } = event;
      const turns = [...currentRound(match).turns, { code, black, white }];
      return { ...inRound({ turns }), timer: countGuess(match, lag) };
    }
    case "resumed": {
      const timer = match.timer && { ...match.timer, left: match.timer.left + event.lost };
      return { ...match, timer };
    }
    case "round_ended":
      return endRound(match, event);
    case "left":
      return { ...match, left: [...match.left, event.player] };
    case "declined":
      return { ...match, left: [...match.left, event.by] };
    case "unrated":
      return { ...match, unrated: true };
    case "rated":
      return { ...match, ratings: event.players };
    case "finished": {
      const outcome = { how: event.how, winner: event.winner };
      return { ...match, phase: "finished", current: undefined, timer: undefined, outcome };
    }
    case "rematch":
      return { ...match, rematch: event.match };
    case "opened":
      throw new RangeError("a match is opened once");
    default:
      return refuseUnknown(event);
  }
}

/**
 * Throw for an event that `evolve` does not handle. tsc refuses the call if the event has a type.
 * @param {never} event
 * @returns {never}
 */
function refuseUnknown(event) {
  throw new RangeError(`unknown event: ${JSON.stringify(event)}`);
}

/** Start a round, if both seats are taken. @param {Match} match @returns {Match} */
function startRound(match) {
  const { maker, breaker } = match;
  if (!maker || !breaker) return match;
  const current = { maker: maker.id, breaker: breaker.id, turns: [], advised: [], points: 0 };
  return startTimer({ ...match, phase: "setting", current });
}

/** @param {Match} match @param {RoundEnded} event @returns {Match} */
function endRound(match, { how, code, nonce, points }) {
  const played = [...match.played, { ...currentRound(match), how, secret: code, nonce, points }];
  const { maker, breaker, opened } = match;
  if (how !== "left" && played.length < opened.rounds) {
    return startRound({ ...match, played, maker: breaker, breaker: maker });
  }
  return { ...match, played, current: undefined, timer: undefined, phase: "finished" };
}

/**
 * Return an entry of a contest with the secret and nonce that the contest has revealed, or the
 * match itself without `proof`. Throws for a code that does not fit the rules.
 * @param {Match | undefined} match @param {Proof} [proof]
 */
export function reveal(match, proof) {
  if (!match || !proof) return match;
  if (!isCode(proof.secret, match.rules)) throw new RangeError("the code does not fit the rules");
  return { ...match, played: match.played.map((round) => ({ ...round, ...proof })) };
}

/**
 * Return the match after all `rows`, which follow `match` if it is given.
 * @param {Row[]} rows @param {Match} [match]
 */
export function fold(rows, match) {
  return rows.reduce((before, [, events, at = 0]) => (
    events.reduce(evolve, before?.clock && at > before.at ? { ...before, at } : before)
  ), match);
}
