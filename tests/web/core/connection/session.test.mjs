import assert from "node:assert/strict";

import { encode } from "../../../../web/mastermind_web/connection/msgpack.js";
import { plain, readVectors, toHex } from "../kit.mjs";
import { clock, followGuessing, followLobby, joined, last, scenario, settle } from "./scripted.mjs";

for (const key of [
  ...new Set(readVectors("sessions").map(({ session, player }) => `${session}|${player}`)),
]) {
  const [title, player] = key.split("|");
  const frames = readVectors("sessions").filter(
    (frame) => frame.session === title && frame.player === player,
  );
  if (title.includes("reconnect")) continue;
  const { name, id: firstId } = frames[0].value;
  scenario(
    `the vectors: ${title}, ${player}`,
    async ({ session }) => {
      session.identify({ name }).catch(() => {});
      let opened = false;
      for (const { sent, value, hex } of frames) {
        const { op, id: _, match, v, ...fields } = value;
        if (sent && !opened) assert.deepEqual({ ...last().accept(), id: value.id }, value);
        else if (sent) {
          if (["guess", "secret", "leave", "rematch"].includes(op))
            session.perform(match, op, fields);
          else session.request(op, match ? { match, ...fields } : fields);
          const message = last().sent.shift();
          assert.equal(toHex(encode(message)), hex);
        } else last().reply(value);
        opened = true;
        await settle();
      }
      for (const { match, error } of session.matches.values()) {
        assert.equal(error, undefined);
        assert.equal(match.phase, "finished");
      }
      assert.equal(session.player.name, name);
    },
    { firstId: firstId },
  );
}

const RECONNECT = readVectors("sessions").filter(({ session }) => session.includes("reconnect"));
scenario(
  "the vectors: the reconnect sends the unanswered guess again",
  async ({ session }) => {
    const [guess, hello, welcome, follow, log, again, event, next, finish] = RECONNECT.map(
      ({ value }) => value,
    );
    last().welcome({ player: welcome.player });
    const followed = session.follow(guess.match);
    const rows = [
      [1, [{ event: "opened", rules: "classic", rounds: 1 }, joined("9F7NWQKNW7", "maker")]],
      [2, [joined("SFAZ3TXZ5D", "breaker")]],
      [3, [{ event: "secret", by: "9F7NWQKNW7", commitment: new Uint8Array(32) }]],
      [4, [{ event: "guessed", code: [0, 0, 1, 1], black: 1, white: 1 }]],
    ];
    last().reply({ op: "log", id: last().sent.pop().id, match: guess.match, rows });
    await followed;
    const guessed = session.perform(guess.match, "guess", { code: guess.code });
    assert.deepEqual(last().sent.pop(), guess);
    last().lose();
    clock.tick(0);
    assert.deepEqual(last().accept(), hello);
    last().reply(welcome);
    assert.deepEqual(last().sent.splice(0), [follow, again]);
    last().reply(log);
    last().reply(event);
    assert.equal((await guessed).v, 5);
    const lastGuess = session.perform(guess.match, "guess", { code: next.code });
    assert.deepEqual(last().sent.pop(), next);
    last().reply(finish);
    await lastGuess;
    const { match, version, error } = session.matches.get(guess.match);
    assert.deepEqual([match.phase, version, error], ["finished", 6, undefined]);
  },
  { firstId: 930021, token: RECONNECT[1].value.token },
);

scenario("a log in parts is followed to its end", async ({ session, changes }) => {
  last().welcome();
  const followed = session.follow("72S54M");
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

scenario("a missing row is requested, and a known row is skipped", async ({ session, changes }) => {
  last().welcome();
  await followLobby(session);
  const events = [joined("p-cat", "breaker")];
  last().reply({ op: "event", match: "72S54M", v: 3, events });
  const { op, v, id } = last().sent.pop();
  assert.deepEqual([op, v], ["follow", 1]);
  last().reply({ op: "log", id, match: "72S54M", rows: [[2, events]] });
  last().reply({ op: "event", match: "72S54M", v: 2, events });
  const { version, match } = session.matches.get("72S54M");
  assert.deepEqual([version, match.phase], [2, "setting"]);
  assert.deepEqual(changes.at(-1), ["match", { code: "72S54M", events: [], undone: false }]);
});

for (const [what, event] of [
  ["unknown rules", { event: "opened", rules: "later", rounds: 1 }],
  ["an unknown event", { event: "later" }],
]) {
  scenario(`a match with ${what} has an error`, async ({ session }) => {
    last().welcome();
    const followed = session.follow("72S54M");
    last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows: [[1, [event]]] });
    const { error, match } = await followed;
    assert.ok(error instanceof RangeError);
    assert.equal(match, undefined);
  });
}

scenario(
  "presence, spectators, chat, advice and announcements are reported",
  async ({ session, changes }) => {
    last().welcome();
    await followGuessing(session);
    const known = session.matches.get("72S54M");
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
    reply("chat", { lines: [line] });
    assert.equal(changes.filter(([kind]) => kind === "chat").length, 2);
    assert.deepEqual(
      known.chat.map(({ room, n }) => [room, n]),
      [
        ["players", 1],
        ["players", 2],
        ["spectators", 1],
      ],
    );
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
    const gone = session.unfollow("72S54M");
    last().reply({ op: "done", id: last().sent.pop().id });
    await gone;
    reply("spectators", { count: 8 });
    assert.equal(session.matches.size, 0);
  },
);

scenario("the time left is counted from the fastest message", async ({ session }) => {
  last().welcome();
  assert.deepEqual(last().subprotocols, ["mastermind.v2", "mastermind.v1"]);
  const followed = session.follow("72S54M");
  const opened = { event: "opened", rules: "classic", rounds: 1, clock: "1+0" };
  const rows = [
    [1, [opened], 0],
    [2, [joined("p-ann", "maker")], 5_000],
  ];
  const reply = (fields) => last().reply({ op: "event", match: "72S54M", ...fields });
  last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows, now: 7_000 });
  await followed;
  assert.equal(session.timeLeft("72S54M"), undefined);
  clock.tick(2_900); // the message took 100 ms less than the log
  reply({ v: 3, at: 10_000, events: [joined("p-cat", "breaker")] });
  assert.equal(session.timeLeft("72S54M"), 60_000);
  clock.tick(15_050);
  const secret = { event: "secret", by: "p-ann", commitment: new Uint8Array(32) };
  reply({ v: 4, at: 25_000, events: [secret] }); // 50 ms later than the fastest
  assert.equal(session.timeLeft("72S54M"), 59_950);
  clock.tick(70_000);
  assert.equal(session.timeLeft("72S54M"), 0);
  assert.equal(session.timeLeft("unknown"), undefined);
});
