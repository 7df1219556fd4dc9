// A session plays the vectors of sessions.

import assert from "node:assert/strict";

import { encode } from "../../../../web/mastermind_web/connection/msgpack.js";
import { readVectors, toHex } from "../kit.mjs";
import { clock, joined, last, scenario, settle } from "./scripted.mjs";

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
    async ({ session, matches }) => {
      session.identify({ name }).catch(() => {});
      let opened = false;
      for (const { sent, value, hex } of frames) {
        const { op, id: _, match, v, ...fields } = value;
        if (sent && !opened) assert.deepEqual({ ...last().accept(), id: value.id }, value);
        else if (sent) {
          if (["guess", "secret", "leave", "rematch"].includes(op))
            matches.perform(match, op, fields);
          else session.request(op, match ? { match, ...fields } : fields);
          const message = last().sent.shift();
          assert.equal(toHex(encode(message)), hex);
        } else last().reply(value);
        opened = true;
        await settle();
      }
      for (const { match, error } of matches.values()) {
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
  async ({ matches }) => {
    const [guess, hello, welcome, follow, log, again, event, next, finish] = RECONNECT.map(
      ({ value }) => value,
    );
    last().welcome({ player: welcome.player });
    const followed = matches.follow(guess.match);
    const rows = [
      [1, [{ event: "opened", rules: "classic", rounds: 1 }, joined("9F7NWQKNW7", "maker")]],
      [2, [joined("SFAZ3TXZ5D", "breaker")]],
      [3, [{ event: "secret", by: "9F7NWQKNW7", commitment: new Uint8Array(32) }]],
      [4, [{ event: "guessed", code: [0, 0, 1, 1], black: 1, white: 1 }]],
    ];
    last().reply({ op: "log", id: last().sent.pop().id, match: guess.match, rows });
    await followed;
    const guessed = matches.perform(guess.match, "guess", { code: guess.code });
    assert.deepEqual(last().sent.pop(), guess);
    last().lose();
    clock.tick(0);
    assert.deepEqual(last().accept(), hello);
    last().reply(welcome);
    assert.deepEqual(last().sent.splice(0), [follow, again]);
    last().reply(log);
    last().reply(event);
    assert.equal((await guessed).v, 5);
    const lastGuess = matches.perform(guess.match, "guess", { code: next.code });
    assert.deepEqual(last().sent.pop(), next);
    last().reply(finish);
    await lastGuess;
    const { match, version, error } = matches.get(guess.match);
    assert.deepEqual([match.phase, version, error], ["finished", 6, undefined]);
  },
  { firstId: 930021, token: RECONNECT[1].value.token },
);
