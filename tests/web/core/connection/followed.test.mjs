// Followed matches: their rows, their moves, and what else the server reports about them.

import assert from "node:assert/strict";

import { matchesOf } from "../../../../web/mastermind_web/connection/followed.js";
import { find, plain } from "../kit.mjs";
import {
  clock, followGuessing, followLobby, isRefusal, joined, last, refuse, scenario, settle,
} from "./scripted.mjs";

scenario(
  "a log that no page has asked for is forgotten, and read when its match is followed",
  async ({ session, changes }) => {
    last().welcome({ epoch: "first" });
    const answer = session.request("join", { match: "72S54M" });
    const rows = [[1, [{ event: "opened", rules: "classic", rounds: 1 }, joined("p-ann", "maker")]]];
    const log = { op: "log", match: "72S54M", rows, epoch: "first" };
    last().reply({ ...log, id: last().sent.pop().id });
    assert.equal((await answer).match, "72S54M");
    last().reply({ op: "event", match: "72S54M", v: 2, events: [joined("p-cat", "breaker")] });
    assert.equal(session.matches, undefined);
    const followed = matchesOf(session).follow("72S54M");
    const { id, v } = last().sent.pop();
    assert.equal(v, 0);
    last().reply({ ...log, id, rows: [...rows, [2, [joined("p-cat", "breaker")]]] });
    assert.equal((await followed).match.phase, "setting");
    assert.equal(changes.filter(([kind]) => kind === "match").length, 1);
    assert.deepEqual(last().sent, []);
  },
);

scenario("the log that answers `enter` is kept", async ({ matches }) => {
  last().welcome();
  const entered = matches.enter("join", { match: "72S54M" });
  const rows = [[1, [{ event: "opened", rules: "classic", rounds: 1 }, joined("p-ann", "maker")]]];
  last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows });
  await entered;
  assert.equal(matches.get("72S54M").version, 1);
});

scenario("a log in parts is followed to its end", async ({ matches, changes }) => {
  last().welcome();
  const followed = matches.follow("72S54M");
  const opened = [{ event: "opened", rules: "classic", rounds: 1 }];
  last().reply({
    op: "log",
    id: last().sent.pop().id,
    match: "72S54M",
    rows: [[1, opened]],
    more: true,
  });
  const change = { code: "72S54M", events: opened, undone: false };
  assert.deepEqual(plain(changes.at(-1)), ["match", change]);
  const { id, v } = last().sent.pop();
  assert.equal(v, 1);
  last().reply({
    op: "log",
    id,
    match: "72S54M",
    rows: [[2, [joined("p-ann", "maker")]]],
    present: ["p-ann"],
  });
  const { version, present } = await followed;
  assert.deepEqual([version, present], [2, ["p-ann"]]);
});

scenario("a missing row is requested, and a known row is skipped", async ({ session, matches, changes }) => {
  last().welcome();
  await followLobby(session);
  const events = [joined("p-cat", "breaker")];
  last().reply({ op: "event", match: "72S54M", v: 3, events });
  const { op, v, id } = last().sent.pop();
  assert.deepEqual([op, v], ["follow", 1]);
  last().reply({ op: "log", id, match: "72S54M", rows: [[2, events]] });
  last().reply({ op: "event", match: "72S54M", v: 2, events });
  const { version, match } = matches.get("72S54M");
  assert.deepEqual([version, match.phase], [2, "setting"]);
  assert.deepEqual(changes.at(-1), ["match", { code: "72S54M", events: [], undone: false }]);
});

for (const [what, event] of [
  ["unknown rules", { event: "opened", rules: "later", rounds: 1 }],
  ["an unknown event", { event: "later" }],
]) {
  scenario(`a match with ${what} has an error`, async ({ matches }) => {
    last().welcome();
    const followed = matches.follow("72S54M");
    last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows: [[1, [event]]] });
    const { error, match } = await followed;
    assert.ok(error instanceof RangeError);
    assert.equal(match, undefined);
  });
}

scenario(
  "presence, spectators, chat, advice and announcements are reported",
  async ({ session, matches, changes }) => {
    last().welcome();
    await followGuessing(session);
    const known = matches.get("72S54M");
    const reply = (op, fields) => last().reply({ op, match: "72S54M", ...fields });
    reply("presence", { player: "p-ann", here: false });
    assert.deepEqual(known.present, []);
    assert.deepEqual(changes.at(-1), ["presence", { code: "72S54M" }]);
    reply("presence", { player: "p-ann", here: true });
    assert.deepEqual(known.present, ["p-ann"]);
    reply("spectators", { count: 7 });
    assert.equal(known.spectators, 7);
    assert.deepEqual(changes.at(-1), ["spectators", { code: "72S54M" }]);
    const line = { room: "players", n: 1, by: "p-ann", name: "Ann", text: "Hi" };
    reply("said", { line });
    reply("chat", { lines: [line, { ...line, n: 2 }, { ...line, room: "spectators" }] });
    reply("chat", { lines: [line, { ...line, v: 3, at: 10 }] }); // a newer server sends it again
    assert.equal(changes.filter(([kind]) => kind === "chat").length, 2);
    assert.deepEqual(
      known.chat.map(({ room, n }) => [room, n]),
      [
        ["players", 1],
        ["players", 2],
        ["spectators", 1],
      ],
    );
    reply("chat", { lines: [3, 4].map((n) => ({ ...line, n, at: n * 1000 })) });
    reply("chat", { lines: [{ ...line, room: "spectators", n: 2, at: 3500 }] }); // shown later
    assert.deepEqual(
      known.chat.filter(({ at }) => at).map(({ room, n }) => [room, n]),
      [
        ["players", 3],
        ["spectators", 2],
        ["players", 4],
      ],
    );
    assert.deepEqual(known.chat.slice(0, 3).map(({ n }) => n), [1, 2, 1], "those without a time");
    reply("chat", { lines: [{ ...line, n: 5 }] }); // of an old server again
    assert.equal(known.chat.at(-1).n, 5);
    reply("advice", { guess: 2, left: 1, guesses: [] });
    assert.equal(known.advice, undefined);
    reply("advice", { guess: 1, left: 1, guesses: [] });
    assert.equal(known.advice.guess, 1);
    reply("event", {
      v: 4,
      events: [{ event: "guessed", code: [0, 0, 0, 0], black: 0, white: 0 }],
    });
    assert.equal(known.advice, undefined);
    last().reply({ op: "announcement", text: "Soon." });
    assert.equal(changes.at(-1)[0], "announcement");
    assert.equal(changes.at(-1)[1].text, "Soon.");
    last().reply({ op: "challenge_ended", match: "K7M2QX", how: "expired" });
    assert.equal(changes.at(-1)[0], "challenge_ended");
    last().reply({ op: "later", match: "72S54M" });
    const gone = matches.unfollow("72S54M");
    last().reply({ op: "done", id: last().sent.pop().id });
    await gone;
    reply("spectators", { count: 8 });
    assert.equal(matches.size, 0);
  },
);

scenario("the code of a closed day proves the followed tries at it", async (made) => {
  const { session, matches, changes } = made;
  last().welcome();
  const followed = matches.follow("72S54M");
  const { rows } = find("a try at the code of a day");
  const log = { op: "log", match: "72S54M", rows: rows.map(({ v, events }) => [v, events]) };
  last().reply({ ...log, id: last().sent.pop().id });
  await followed;
  const nonce = Uint8Array.from({ length: 16 }, (_, index) => index);
  const show = async (fields) => {
    const answer = session.request("day", {});
    const day = { op: "day", id: last().sent.pop().id, day: 147, rules: "4x6/3", ...fields };
    last().reply(day);
    await answer;
    return matches.get("72S54M").match.played[0].secret;
  };
  const closed = { code: [0, 1, 2, 3], nonce };
  assert.equal(await show({}), undefined);
  assert.equal(await show({ ...closed, day: 148 }), undefined);
  assert.equal(await show({ ...closed, rules: "mini" }), undefined);
  assert.deepEqual(await show(closed), closed.code);
  assert.deepEqual(plain(changes.at(-1)), ["match", { code: "72S54M", events: [], undone: false }]);
  const { version } = matches.get("72S54M");
  last().reply({ ...log, epoch: "another" });
  last().reply({ ...log, id: last().sent.pop().id, epoch: "another" });
  assert.deepEqual(matches.get("72S54M").match.played[0].secret, closed.code);
  assert.deepEqual([matches.get("72S54M").restorations, version], [0, rows.length]);
});

scenario("the time left is counted from the fastest message", async ({ matches }) => {
  last().welcome();
  assert.deepEqual(last().subprotocols, ["mastermind.v3", "mastermind.v2", "mastermind.v1"]);
  const followed = matches.follow("72S54M");
  const opened = { event: "opened", rules: "classic", rounds: 1, clock: "1+0" };
  const rows = [
    [1, [opened], 0],
    [2, [joined("p-ann", "maker")], 5_000],
  ];
  const reply = (fields) => last().reply({ op: "event", match: "72S54M", ...fields });
  last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows, now: 7_000 });
  await followed;
  assert.equal(matches.findTimeLeft("72S54M"), undefined);
  clock.tick(2_900); // the message took 100 ms less than the log
  reply({ v: 3, at: 10_000, events: [joined("p-cat", "breaker")] });
  assert.equal(matches.findTimeLeft("72S54M"), 60_000);
  clock.tick(15_050);
  const secret = { event: "secret", by: "p-ann", commitment: new Uint8Array(32) };
  reply({ v: 4, at: 25_000, events: [secret] }); // 50 ms later than the fastest
  assert.equal(matches.findTimeLeft("72S54M"), 59_950);
  clock.tick(70_000);
  assert.equal(matches.findTimeLeft("72S54M"), 0);
  assert.equal(matches.findTimeLeft("unknown"), undefined);
});

scenario("a match that the player has left is not followed again", async ({ session, matches }) => {
  last().welcome({ player: { id: "p-ann", name: "Ann" } });
  await followLobby(session);
  const left = matches.perform("72S54M", "leave");
  const events = [
    { event: "left", player: "p-ann" },
    { event: "finished", how: "closed" },
  ];
  last().reply({ op: "event", id: last().sent.pop().id, match: "72S54M", v: 2, events });
  assert.equal((await left).v, 2);
  last().lose();
  clock.tick(0);
  last().welcome({ player: { id: "p-ann", name: "Ann" } });
  assert.deepEqual(last().sent, []);
});

scenario("a match that is no longer there is lost", async ({ session, matches, changes }) => {
  last().welcome();
  await followLobby(session);
  last().lose();
  clock.tick(0);
  last().welcome();
  refuse(last().sent.pop().id, "unknown_match");
  await settle();
  assert.equal(changes.at(-1)[0], "lost");
  assert.equal(matches.size, 0);
});

for (const [what, event, repeats] of [
  ["advice", { event: "advised", by: "p-cat" }, true],
  ["a guess of another tab", { event: "guessed", code: [0, 0, 0, 0], black: 0, white: 0 }, false],
]) {
  scenario(
    `a stale guess is ${repeats ? "" : "not "}sent again after ${what}`,
    async ({ session, matches }) => {
      last().welcome();
      await followGuessing(session);
      const guess = matches.perform("72S54M", "guess", { code: [1, 1, 1, 1] });
      const first = last().sent.pop();
      refuse(first.id, "stale_version", { field: "v", limit: 4 });
      await settle();
      const follow = last().sent.pop();
      assert.equal(follow.v, 3);
      last().reply({ op: "log", id: follow.id, match: "72S54M", rows: [[4, [event]]] });
      await (repeats ? settle() : assert.rejects(guess, isRefusal("stale_version")));
      const again = last().sent.pop();
      assert.deepEqual(again, repeats ? { ...first, v: 4, id: again.id } : undefined);
      guess.catch(() => {});
    },
  );
}

scenario("a chat line is sent again after the session follows its match", async ({ matches }) => {
  last().welcome();
  const said = matches.perform("72S54M", "say", { phrase: 1 });
  refuse(last().sent.pop().id, "not_followed", { field: "match" });
  await settle();
  last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows: [] });
  await settle();
  const { id, op } = last().sent.pop();
  assert.equal(op, "say");
  const line = { room: "spectators", n: 1, by: "p-cat", name: "Cat", phrase: 1 };
  last().reply({ op: "said", id, match: "72S54M", line });
  assert.equal((await said).op, "said");
  assert.deepEqual(matches.get("72S54M").chat.map(plain), [line]);
});

scenario("another secret than that of the codemaker is an error", async ({ session, matches }) => {
  last().welcome({ player: { id: "p-ann", name: "Ann" } });
  await followLobby(session);
  last().reply({ op: "event", match: "72S54M", v: 2, events: [joined("p-cat", "breaker")] });
  const secret = matches.perform("72S54M", "secret", { code: [0, 1, 2, 3] });
  const events = [{ event: "secret", by: "p-ann", commitment: new Uint8Array(32) }];
  last().reply({ op: "event", id: last().sent.pop().id, match: "72S54M", v: 3, events });
  await assert.rejects(secret, /another secret/);
});
