// The types of a match, as docs/PROTOCOL.md describes it. Optional fields that are absent are
// undefined.

import type { Rules } from "./texts.js";

export type Seat = "maker" | "breaker";
export type Phase = "gathering" | "setting" | "breaking" | "finished";
/** `name` is untrusted text. */
export type Player = { id: string; name: string; bot?: string; program?: boolean };
/** The colour of each peg, from 0. */
export type Code = number[];
export type Feedback = { black: number; white: number };
/** A guess and its feedback. */
export type Turn = { code: Code } & Feedback;
export type Rating = { rating: number; deviation: number; volatility: number };
export type RatingChange = { player: string; n: number; before: Rating; after: Rating };
/** What the placeholders of a sentence stand for. */
export type Values = { [name: string]: unknown };

// The events. `evolve` in game/fold.js handles each of them, which tsc checks.

export type Opened = {
  event: "opened";
  rules: string;
  rounds: number;
  public?: boolean;
  rated?: boolean;
  previous?: string;
  reserved?: string;
  clock?: string;
  /** The name of the contest of which the match is an entry. */
  contest?: string;
};
export type Joined = { event: "joined"; player: Player; seat: Seat; rating?: Rating };
export type Unrated = { event: "unrated"; why: string };
export type Declined = { event: "declined"; by: string; late?: boolean };
export type SecretSet = {
  event: "secret";
  by: string;
  commitment?: Uint8Array;
  code?: Code;
  nonce?: Uint8Array;
  lag?: number;
};
export type Guessed = { event: "guessed"; lag?: number } & Turn;
export type Resumed = { event: "resumed"; lost: number };
export type Advised = { event: "advised"; by: string };
export type RoundEnd = "broken" | "exhausted" | "resigned" | "left" | "time";
export type RoundEnded = {
  event: "round_ended";
  how: RoundEnd;
  /** Absent in an entry of a contest. */
  code?: Code;
  points: number;
  nonce?: Uint8Array;
};
export type Left = { event: "left"; player: string; why?: string; absent?: boolean };
export type Outcome = { how: "played" | "left" | "closed"; winner?: string };
export type Finished = { event: "finished" } & Outcome;
export type RematchOffered = { event: "rematch"; by: string; match: string };
export type Rated = { event: "rated"; players: RatingChange[] };
export type Event =
  | Opened
  | Joined
  | Unrated
  | Declined
  | SecretSet
  | Guessed
  | Resumed
  | Advised
  | RoundEnded
  | Left
  | Finished
  | RematchOffered
  | Rated;

/** The version, the events of one request, and their time in milliseconds since the first row. */
export type Row = [v: number, events: Event[], at?: number];
/** A request of a match. */
export type Command = { op: string; code?: Code; seat?: Seat; [field: string]: unknown };

export type Round = {
  /** The player id of the codemaker. */
  maker: string;
  /** The player id of the codebreaker. */
  breaker: string;
  /** Absent before the secret is set, and for adaptive codemakers. */
  commitment?: Uint8Array;
  /** Only its codemaker knows it before the round ends, or before its contest reveals it. */
  secret?: Code;
  nonce?: Uint8Array;
  /** Whether the server set the secret: the codemaker's time was over, or in a contest. */
  drawn?: boolean;
  turns: Turn[];
  /** The numbers, from 1, of guesses with advice. */
  advised: number[];
  /** Absent until the round ends. */
  how?: RoundEnd;
  /** The codemaker's. */
  points: number;
};

/** What a contest reveals when all its tries are over. */
export type Proof = { secret: Code; nonce: Uint8Array };

/**
 * The times of a round, of each guess and of each move in milliseconds; `live` is false for days.
 */
export type Clock = { base: number; increment: number; move: number; live: boolean };
/**
 * The player to move has `left` milliseconds from `since`. `credited` is the latency that was
 * credited in this phase.
 */
export type Timer = { since: number; left: number; credited: number };

export type Match = {
  opened: Omit<Opened, "event">;
  rules: Rules;
  clock?: Clock;
  /** The time of the last row, in milliseconds since the first row. 0 without a clock. */
  at: number;
  timer?: Timer;
  phase: Phase;
  /** The codemaker of the current round, as far as the seat is taken. */
  maker?: Player;
  breaker?: Player;
  /** The running round. */
  current?: Round;
  /** The ended rounds. */
  played: Round[];
  /** The ids of the players who left. */
  left: string[];
  outcome?: Outcome;
  /** The match code of the rematch. */
  rematch?: string;
  /** The ratings of the players of a rated match. */
  before: { [id: string]: Rating };
  /** Whether a rated match does not change ratings. */
  unrated?: boolean;
  ratings?: RatingChange[];
};
