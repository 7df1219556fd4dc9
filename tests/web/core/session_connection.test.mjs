import assert from "node:assert/strict";

import {
  TOKEN,
  clock,
  followLobby,
  isRefusal,
  last,
  refuse,
  scenario,
  settle,
  sockets,
} from "./scripted.mjs";

scenario(
  "a request before the welcome is sent after it, and a dead connection is replaced",
  async ({ session, changes }) => {
    const done = session.request("bots");
    last().welcome({ token: TOKEN });
    const { id } = last().sent.pop();
    last().reply({ op: "bots", id, bots: [] });
    assert.equal((await done).op, "bots");
    clock.tick(15_000);
    const ping = last().sent.pop();
    assert.equal(ping.op, "ping");
    last().reply({ op: "done", id: ping.id });
    clock.tick(15_000 + 4_999);
    assert.equal(last().sent.pop().op, "ping");
    const dead = last();
    clock.tick(1);
    assert.ok(dead.closed);
    assert.equal(session.state, "offline");
    clock.tick(0);
    assert.notEqual(last(), dead);
    last().welcome();
    assert.deepEqual(
      changes.filter(([kind]) => kind === "state").map(([, state]) => state),
      ["online", "offline", "online"],
    );
  },
);

scenario("attempts have growing pauses, until a connection lasts", async ({ session }) => {
  last().welcome();
  for (const pause of [0, 1, 2, 4, 8, 15, 15]) {
    last().lose();
    const before = sockets.length;
    if (pause > 0) clock.tick(pause * 1000 - 1);
    assert.equal(sockets.length, before);
    clock.tick(1);
    assert.equal(sockets.length, before + 1);
  }
  last().welcome();
  clock.tick(15_000);
  last().reply({ op: "done", id: last().sent.pop().id });
  last().lose();
  clock.tick(0);
  last().welcome();
  assert.equal(session.state, "online");
});

scenario("a connection that is not welcomed is replaced", async () => {
  last().accept();
  const before = sockets.length;
  clock.tick(10_000);
  clock.tick(0);
  assert.equal(sockets.length, before + 1);
});

for (const [code, reason, pause] of [
  [1012, "restarting; retry_after=0.250", 250],
  [1013, "too many connections; retry_after=5.000", 5000],
]) {
  scenario(`after ${code} the session reconnects when the server says`, async () => {
    last().welcome();
    last().lose(code, reason);
    const before = sockets.length;
    clock.tick(pause - 1);
    assert.equal(sockets.length, before);
    clock.tick(1);
    assert.equal(sockets.length, before + 1);
  });
}

for (const kind of ["pageshow", "visibilitychange", "online"]) {
  scenario(`${kind} reconnects at once, and checks a connection`, async ({ report }) => {
    last().welcome();
    report(kind);
    assert.equal(last().sent.pop().op, "ping");
    const asleep = last();
    clock.now += 60_000; // without the timers, as in a suspended page
    report(kind);
    assert.notEqual(last(), asleep);
    for (let attempt = 0; attempt < 4; attempt++) {
      last().lose();
      report(kind);
      assert.equal(last().closed, false);
      assert.equal(last().readyState, 0);
    }
  });
}

scenario("an ended session refuses its requests", async ({ session, changes }) => {
  last().welcome();
  await followLobby(session);
  last().lose();
  clock.tick(0);
  last().welcome();
  const request = session.request("bots");
  last().lose(1008, "banned");
  await assert.rejects(request, isRefusal("banned"));
  await settle();
  assert.deepEqual(changes.at(-1), ["state", "ended"]);
  assert.equal(session.matches.size, 1);
});

scenario("frames that the server cannot read end the session", async ({ session }) => {
  last().welcome();
  last().lose(1008, "too many bad frames");
  assert.equal(session.ending.code, "bug");
});

scenario("too many connections: the session waits as long as the server says", async () => {
  last().accept();
  refuse(undefined, "too_many", { limit: 10, retry_after: 5 });
  const before = sockets.length;
  clock.tick(4_999);
  assert.equal(sockets.length, before);
  clock.tick(1);
  assert.equal(sockets.length, before + 1);
});
