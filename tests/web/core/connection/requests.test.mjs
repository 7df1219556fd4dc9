import assert from "node:assert/strict";

import { plain } from "../kit.mjs";
import {
  clock,
  followGuessing,
  followLobby,
  isRefusal,
  joined,
  last,
  refuse,
  scenario,
  settle,
} from "./scripted.mjs";

scenario(
  "a request is repeated with its id when the server says, or with a new one",
  async ({ session, changes }) => {
    last().welcome();
    const answer = session.request("open", { rules: "mini", maker: "me", breaker: "open" });
    const first = last().sent.pop();
    refuse(first.id, "rate_limited", { retry_after: 2 });
    assert.deepEqual(changes.at(-1), ["waiting", { op: "open", retryAfter: 2 }]);
    clock.tick(2_000);
    assert.deepEqual(last().sent.pop(), first);
    refuse(undefined, "internal"); // without an id: the oldest request
    assert.deepEqual(last().sent.pop(), first);
    refuse(first.id, "invalid_message", { field: "id" });
    const other = last().sent.pop();
    assert.deepEqual({ ...other, id: first.id }, first);
    assert.notEqual(other.id, first.id);
    refuse(other.id, "internal");
    await assert.rejects(answer, isRefusal("internal"));
    const wrong = session.request("list", { what: "all" });
    refuse(last().sent.pop().id, "invalid_message", { field: "what" });
    await assert.rejects(wrong, isRefusal("invalid_message"));
    const impatient = session.request("say", { match: "72S54M", phrase: 1 });
    refuse(last().sent.pop().id, "rate_limited", {
      retry_after: 60,
      details: { reason: "later", a: 1 },
    });
    await assert.rejects(
      impatient,
      ({ retryAfter, reason, values }) => retryAfter === 60 && reason === "later" && values.a === 1,
    );
  },
);

scenario("a match that the player has left is not followed again", async ({ session }) => {
  last().welcome({ player: { id: "p-ann", name: "Ann" } });
  await followLobby(session);
  const left = session.perform("72S54M", "leave");
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

scenario("a match that is no longer there is lost", async ({ session, changes }) => {
  last().welcome();
  await followLobby(session);
  last().lose();
  clock.tick(0);
  last().welcome();
  refuse(last().sent.pop().id, "unknown_match");
  await settle();
  assert.equal(changes.at(-1)[0], "lost");
  assert.equal(session.matches.size, 0);
});

for (const [what, event, repeats] of [
  ["advice", { event: "advised", by: "p-cat" }, true],
  ["a guess of another tab", { event: "guessed", code: [0, 0, 0, 0], black: 0, white: 0 }, false],
]) {
  scenario(
    `a stale guess is ${repeats ? "" : "not "}sent again after ${what}`,
    async ({ session }) => {
      last().welcome();
      await followGuessing(session);
      const guess = session.perform("72S54M", "guess", { code: [1, 1, 1, 1] });
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

scenario("a chat line is sent again after the session follows its match", async ({ session }) => {
  last().welcome();
  const said = session.perform("72S54M", "say", { phrase: 1 });
  refuse(last().sent.pop().id, "not_followed", { field: "match" });
  await settle();
  last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows: [] });
  await settle();
  const { id, op } = last().sent.pop();
  assert.equal(op, "say");
  const line = { room: "spectators", n: 1, by: "p-cat", name: "Cat", phrase: 1 };
  last().reply({ op: "said", id, match: "72S54M", line });
  assert.equal((await said).op, "said");
  assert.deepEqual(session.matches.get("72S54M").chat.map(plain), [line]);
});

scenario("another secret than that of the codemaker is an error", async ({ session }) => {
  last().welcome({ player: { id: "p-ann", name: "Ann" } });
  await followLobby(session);
  last().reply({ op: "event", match: "72S54M", v: 2, events: [joined("p-cat", "breaker")] });
  const secret = session.perform("72S54M", "secret", { code: [0, 1, 2, 3] });
  const events = [{ event: "secret", by: "p-ann", commitment: new Uint8Array(32) }];
  last().reply({ op: "event", id: last().sent.pop().id, match: "72S54M", v: 3, events });
  await assert.rejects(secret, /another secret/);
});
