// A server whose store has gone back: the session reads its matches again and compares the rows.

import assert from "node:assert/strict";

import { fold } from "../../../../web/mastermind_web/game/fold.js";
import { plain } from "../kit.mjs";
import { clock, isRefusal, joined, last, refuse, scenario, settle } from "./scripted.mjs";

const MATCH = "72S54M";
const guessed = (black) => [{ event: "guessed", code: [0, 0, 0, black], black, white: 0 }];
const ROWS = [
  [1, [{ event: "opened", rules: "classic", rounds: 1 }, joined("p-ann", "maker")]],
  [2, [joined("p-cat", "breaker")]],
  [3, [{ event: "secret", by: "p-ann", commitment: new Uint8Array(32) }]],
  [4, guessed(0)],
  [5, guessed(1)],
];
const LINE = { room: "players", n: 1, by: "p-ann", name: "Ann", text: "Hi" };

const reply = (op, fields) => last().reply({ op, match: MATCH, ...fields });
/** Answer the newest request, which must follow the match from version `v`. */
function answerFollow(v, rows, fields = {}) {
  const follow = last().sent.pop();
  assert.deepEqual(plain(follow), { op: "follow", match: MATCH, v, id: follow.id });
  reply("log", { id: follow.id, rows, ...fields });
}
/** Follow the match in the epoch "first", with all rows, and connect again in another one. */
async function reconnect(matches, epoch = "second") {
  last().welcome({ epoch: "first" });
  matches.follow(MATCH);
  answerFollow(0, ROWS, { epoch: "first" });
  reply("chat", { lines: [LINE] });
  reply("advice", { guess: 3, left: 1, guesses: [] });
  await settle();
  last().lose();
  clock.tick(0);
  last().welcome({ epoch });
  return matches.get(MATCH);
}
const news = (changes) =>
  changes.filter(([kind]) => kind === "match").map(([, { events, undone }]) => [events, undone]);

scenario("equal rows of another epoch are no news", async ({ matches, changes }) => {
  const known = await reconnect(matches);
  const before = changes.length;
  assert.equal(known.version, 5); // is displayed meanwhile
  answerFollow(0, ROWS, { epoch: "second" });
  reply("chat", { lines: [LINE] });
  reply("event", { v: 6, events: guessed(2) });
  assert.deepEqual(plain(news(changes.slice(before))), [
    [[], false],
    [guessed(2), false],
  ]);
  assert.deepEqual(plain(known.match), plain(fold([...ROWS, [6, guessed(2)]])));
  assert.deepEqual(known.chat.map(plain), [LINE]);
});

for (const [what, rows] of [
  ["missing", ROWS.slice(0, 4)],
  ["all guesses in the", ROWS.slice(0, 3)],
  ["other", [...ROWS.slice(0, 4), [5, guessed(2)]]],
  ["other, and more", [...ROWS.slice(0, 3), [4, guessed(1)], [5, guessed(1)], [6, guessed(2)]]],
]) {
  for (const epoch of ["second", "first"]) {
    scenario(`${what} rows of the epoch "${epoch}" are undone`, async ({ matches, changes }) => {
      const known = await reconnect(matches, epoch);
      const before = changes.length;
      if (epoch === "first") refuse(last().sent.pop().id, "stale_version", { limit: 4 });
      answerFollow(0, rows.slice(0, 2), { epoch, more: true });
      await settle();
      assert.equal(known.version, 5);
      reply("event", { v: 6, events: guessed(2) }); // also in the log that was requested
      answerFollow(2, rows.slice(2), { epoch });
      assert.deepEqual(news(changes.slice(before)), [[[], true]]);
      assert.deepEqual(plain(known.match), plain(fold(rows)));
      assert.deepEqual([known.version, known.advice], [rows.length, undefined]);
      reply("chat", { lines: [{ ...LINE, text: "Again" }] });
      assert.equal(known.chat.length, 2); // the number is that of an undone line
    });
  }
}

scenario("a log of another epoch than requested from is not folded", async ({ matches }) => {
  const known = await reconnect(matches, "first");
  answerFollow(5, [[6, guessed(3)]], { epoch: "second" });
  assert.equal(known.version, 5);
  await settle();
  for (const _ of [...last().sent]) answerFollow(0, ROWS, { epoch: "second" }); // of both callers
  await settle();
  assert.equal(known.version, 5);
  assert.deepEqual(last().sent, []);
});

scenario("an impossible row that is read again is an error", async ({ matches }) => {
  const known = await reconnect(matches);
  answerFollow(0, [...ROWS.slice(0, 2), [3, guessed(0)]], { epoch: "second" });
  assert.ok(known.error instanceof RangeError);
  assert.equal(known.match.phase, "breaking");
});

scenario("a first log of another epoch is requested again", async ({ matches }) => {
  last().welcome({ epoch: "first" }); // the server adopts another epoch on the open connection
  let version;
  matches.follow(MATCH).then((known) => (version = known.version));
  answerFollow(0, ROWS, { epoch: "second" });
  await settle();
  assert.equal(version, undefined); // the page would display no match
  const [first, second] = last().sent.splice(0);
  reply("log", { id: first.id, rows: ROWS.slice(0, 3), more: true, epoch: "second" });
  reply("log", { id: second.id, rows: ROWS.slice(0, 3), more: true, epoch: "second" });
  await settle();
  answerFollow(3, ROWS.slice(3), { epoch: "second" });
  await settle();
  answerFollow(3, ROWS.slice(3), { epoch: "second" });
  await settle();
  assert.equal(version, 5);
  assert.equal(matches.get(MATCH).error, undefined);
});

scenario("an unanswered follow is repeated from the first row", async ({ matches, changes }) => {
  last().welcome({ epoch: "first" });
  matches.follow(MATCH);
  answerFollow(0, ROWS, { epoch: "first" });
  matches.follow(MATCH); // is unanswered when the connection is lost
  last().lose();
  clock.tick(0);
  last().welcome({ epoch: "second" });
  const before = changes.length;
  for (const _ of [...last().sent]) answerFollow(0, [...ROWS, [6, guessed(2)]], { epoch: "second" });
  await settle();
  assert.deepEqual(plain(news(changes.slice(before))), [
    [guessed(2), false],
    [[], false],
  ]);
  assert.deepEqual(last().sent, []);
});

/** Resign in the match, and reconnect in another epoch before the answer. */
async function resignBefore(matches) {
  last().welcome({ epoch: "first" });
  matches.follow(MATCH);
  answerFollow(0, ROWS, { epoch: "first" });
  await settle();
  const move = matches.perform(MATCH, "resign");
  const sent = last().sent.pop();
  last().lose();
  clock.tick(0);
  last().welcome({ epoch: "second" });
  assert.deepEqual(last().sent.map(({ op }) => op), ["follow"]);
  return { move, sent };
}

scenario("a move waits for the rows of another epoch, and is sent unchanged", async ({ matches }) => {
  const { move, sent } = await resignBefore(matches);
  answerFollow(0, ROWS, { epoch: "second" });
  assert.deepEqual(last().sent.pop(), sent); // another version would make it another request
  const ended = { event: "round_ended", how: "resigned", code: [0, 0, 0, 1], nonce: new Uint8Array(16) };
  reply("event", { v: 6, events: [ended], id: sent.id });
  await move;
});

for (const [what, rows] of [
  ["is missing", ROWS.slice(0, 4)],
  ["is another one", [...ROWS.slice(0, 4), [5, guessed(2)]]],
]) {
  scenario(`a move is not made if its position ${what} in another epoch`, async ({ matches }) => {
    const { move } = await resignBefore(matches);
    answerFollow(0, rows, { epoch: "second" });
    assert.deepEqual(last().sent, []);
    await settle();
    answerFollow(rows.length, [], { epoch: "second" });
    await assert.rejects(move, isRefusal("stale_version"));
    assert.deepEqual(last().sent, []);
  });
}

scenario("a move of a match that the server does not have any more is refused", async ({ matches }) => {
  const { move, sent } = await resignBefore(matches);
  refuse(last().sent.pop().id, "unknown_match");
  await settle();
  assert.deepEqual(last().sent.pop(), sent);
  refuse(sent.id, "unknown_match");
  await assert.rejects(move, isRefusal("unknown_match"));
});
