import assert from "node:assert/strict";
import test from "node:test";

import { checkRound } from "../../../../web/mastermind_web/game/checks.js";
import { evolve, fold, isAllowed, reveal } from "../../../../web/mastermind_web/game/fold.js";
import {
  allowsAids,
  playersOf,
  pointsOf,
  roundNumber,
  toMove,
} from "../../../../web/mastermind_web/game/rules.js";
import { FOLDS, find, readFile, readJson, readVectors } from "../kit.mjs";

for (const { name, aids, rows } of FOLDS) {
  test(`the fold of the vectors: ${name}`, () => {
    let match;
    for (const row of rows) {
      match = fold([[row.v, row.events, row.at]], match);
      const points = playersOf(match).map(({ id }) => [id, pointsOf(match, id)]);
      assert.equal(match.phase, row.phase);
      assert.equal(roundNumber(match), row.round);
      assert.equal(toMove(match)?.id, row.turn);
      assert.deepEqual(Object.fromEntries(points), row.points);
      assert.equal(match.timer && match.timer.since + match.timer.left, row.deadline);
      for (const [op, players] of Object.entries(row.refused)) {
        const code = match.rules.palette.slice(0, match.rules.pegs).map((_, colour) => colour);
        for (const [player, reason] of Object.entries(players)) {
          const allowed = isAllowed(match, { op, code }, player);
          assert.equal(allowed, reason === null, `${op} of ${player}`);
        }
      }
      for (const { v, events, at } of rows) {
        const follows = () => fold([[v, [events[0]], at]], match);
        if (row.possible.includes(v)) follows();
        else assert.throws(follows, RangeError, `row ${v} after ${row.v}`);
      }
    }
    const { outcome, played, rules } = match;
    const finished = rows.flatMap(({ events }) => events).find(({ event }) => event === "finished");
    assert.deepEqual([outcome?.how, outcome?.winner], [finished?.how, finished?.winner]);
    assert.equal(allowsAids(match), aids);
    for (const round of played) assert.equal(checkRound(round, rules), undefined);
  });
}

test("the fold of the sessions ends as its last row says", () => {
  const logs = new Map();
  for (const { session, player, sent, value } of readVectors("sessions")) {
    const rows = value.rows ?? (value.op === "event" ? [[value.v, value.events]] : []);
    const key = `${session} ${player} ${value.match}`;
    if (!sent && !session.includes("reconnect")) logs.set(key, [...(logs.get(key) ?? []), ...rows]);
  }
  const phases = [...logs.values()]
    .filter((rows) => rows.length)
    .map((rows) => fold(rows).phase);
  assert.deepEqual(phases, Array(6).fill("finished"));
});

test("the types of the page have every event of the protocol, and no other", () => {
  const { event } = readJson("docs/protocol/schema.json").$defs;
  const written = readFile("web/mastermind_web/types.d.ts").matchAll(/\bevent: "(\w+)"/g);
  const names = event.oneOf.map(({ $ref }) => $ref.replace("#/$defs/event_", ""));
  assert.deepEqual(Array.from(written, ([, name]) => name).sort(), names.sort());
});

test("an event that contradicts the round cannot follow", () => {
  const { rows } = find("broken after advice, and a rematch");
  const breaking = fold(rows.slice(0, 4).map(({ v, events }) => [v, events]));
  const guess = { event: "guessed", code: [0, 0, 0, 0], black: 1, white: 0 };
  evolve(breaking, guess);
  for (const wrong of [
    { black: 3, white: 2 },
    { code: [0, 0, 0] },
    { code: [0, 0, 0, 6] },
    { event: "later" },
  ]) {
    assert.throws(() => evolve(breaking, { ...guess, ...wrong }), RangeError);
  }
  const [guessed, ended, finished] = rows[6].events;
  const hit = evolve(breaking, guessed);
  assert.throws(() => evolve(hit, guess), RangeError);
  assert.throws(() => evolve(hit, ended), RangeError); // other points: one guess less
  const closed = evolve(hit, { ...ended, points: 1 });
  assert.throws(() => evolve(closed, { ...finished, winner: "p-ann" }), RangeError);
  for (const hidden of [{ nonce: undefined }, { code: undefined, nonce: undefined }]) {
    assert.throws(() => evolve(hit, { ...ended, points: 1, ...hidden }), RangeError);
  }
});

test("an event that contradicts the clock or the rating cannot follow", () => {
  const clocked = find("a clock with increments, credited latency and time given back");
  const rated = find("a rated match changes ratings");
  const row = ({ v, events, at }) => [v, events, at];
  const reject = ({ rows }, count, events, at) => {
    const before = fold(rows.slice(0, count).map(row));
    assert.throws(() => fold([[count + 1, events, at]], before), RangeError);
  };
  const guess = { event: "guessed", code: [4, 4, 5, 5], black: 0, white: 0 };
  reject(clocked, 4, [{ ...guess, lag: 301 }], 70_000);
  reject(clocked, 4, [guess], 120_091);
  const [ended, finished, change] = rated.rows[6].events;
  reject(rated, 6, [ended], 46_000);
  reject(rated, 6, [{ ...ended, points: 2 }], 46_001);
  reject(rated, 6, [ended, finished, { ...change, players: change.players.toReversed() }], 46_001);
  reject(rated, 7, [change], 46_001);
  reject(find("broken after advice, and a rematch"), 3, [{ event: "resumed", lost: 5 }], 5);
});

test("only the awaited player is removed for its absence, and only a bot gives a reason", () => {
  const { rows } = find("broken after advice, and a rematch");
  const breaking = fold(rows.slice(0, 4).map(({ v, events }) => [v, events]));
  evolve(breaking, { event: "left", player: "p-bob", absent: true });
  for (const wrong of [
    { player: "p-ann", absent: true },
    { player: "p-eve" },
    { player: "p-bob", why: "slow" },
  ]) {
    assert.throws(() => evolve(breaking, { event: "left", ...wrong }), RangeError);
  }
});

test("the codemaker knows its secret, which must fit the commitment", () => {
  const { rows } = find("broken after advice, and a rematch");
  const setting = fold(rows.slice(0, 3).map(({ v, events }) => [v, events]));
  const { nonce } = rows[6].events[1];
  const [event] = rows[3].events;
  const known = evolve(setting, { ...event, code: [0, 1, 2, 3], nonce });
  assert.deepEqual(known.current.secret, [0, 1, 2, 3]);
  for (const wrong of [
    { code: [0, 1, 2, 4], nonce },
    { code: [0, 1, 2, 3] },
    { nonce },
    { commitment: undefined },
  ]) {
    assert.throws(() => evolve(setting, { ...event, ...wrong }), RangeError);
  }
});

test("only the server sets the secret of a try, and only its contest reveals it", () => {
  const { rows } = find("a try at the code of a day");
  const setting = fold(rows.slice(0, 3).map(({ v, events }) => [v, events]));
  const [sealed] = rows[3].events;
  for (const wrong of [{ by: "bot-day-maker" }, { by: "p-bob" }, { commitment: undefined }]) {
    assert.throws(() => evolve(setting, { ...sealed, ...wrong }), RangeError);
  }
  const breaking = evolve(evolve(setting, sealed), rows[4].events[0]);
  const [guessed, ended, finished] = rows[5].events;
  const hit = evolve(breaking, guessed);
  const nonce = Uint8Array.from({ length: 16 }, (_, index) => index);
  const proof = { secret: guessed.code, nonce };
  for (const wrong of [{ code: guessed.code }, { nonce }, { code: guessed.code, nonce }]) {
    assert.throws(() => evolve(hit, { ...ended, ...wrong }), RangeError);
  }
  const match = evolve(evolve(hit, ended), finished);
  assert.equal(checkRound(match.played[0], match.rules), undefined);
  assert.equal(reveal(match), match);
  assert.throws(() => reveal(match, { ...proof, secret: [9] }), RangeError);
  const check = (changes) => {
    const { played, rules } = reveal(match, { ...proof, ...changes });
    return checkRound(played[0], rules)?.kind;
  };
  assert.deepEqual([{}, { secret: [0, 0, 0, 0] }].map(check), [undefined, "changed"]);
});

test("a code that does not fit the rules is not allowed", () => {
  const { rows } = find("broken after advice, and a rematch");
  const breaking = fold(rows.slice(0, 4).map(({ v, events }) => [v, events]));
  const guess = (code) => isAllowed(breaking, { op: "guess", code }, "p-bob");
  assert.deepEqual([[], [0, 1], [0, 1, 6, 7], [0, 1, -1, 0], [0, 1, 5, 5]].map(guess), [
    false,
    false,
    false,
    false,
    true,
  ]);
});
