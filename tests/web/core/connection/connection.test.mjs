import assert from "node:assert/strict";

import {
  SERVER,
  TOKEN,
  clock,
  followLobby,
  isRefusal,
  joined,
  last,
  refuse,
  scenario,
  settle,
  sockets,
} from "./scripted.mjs";

/** Let a request wait until the session begins an attempt; return both sockets and the request. */
function suspect(session, milliseconds = 5_000) {
  const [old, before] = [last(), sockets.length];
  const answer = session.request("bots");
  const { id } = old.sent.pop();
  clock.tick(milliseconds - 1);
  assert.equal(sockets.length, before);
  clock.tick(1);
  assert.equal(sockets.length, before + 1);
  assert.equal(old.closed, false);
  assert.equal(session.state, "offline");
  return { old, answer, bots: { op: "bots", id, bots: [] } };
}
const listStates = (changes) =>
  changes.filter(([kind]) => kind === "state").map(([, state]) => state);
/** Answer the ping that the session sends after `milliseconds` of silence. */
function answerPing(milliseconds) {
  clock.tick(milliseconds - 1);
  assert.deepEqual(last().sent, []);
  clock.tick(1);
  const { op, id } = last().sent.pop();
  assert.equal(op, "ping");
  last().reply({ op: "done", id });
}

scenario("a request before the welcome is sent after it", async ({ session }) => {
  const done = session.request("bots");
  last().welcome({ token: TOKEN });
  const { id } = last().sent.pop();
  last().reply({ op: "bots", id, bots: [] });
  assert.equal((await done).op, "bots");
});

scenario(
  "an unanswered request is repeated on another connection, which replaces a dead one",
  async ({ session, changes }) => {
    last().welcome();
    const { old, answer, bots } = suspect(session);
    last().welcome();
    assert.ok(old.closed);
    const [{ op, id }] = last().sent;
    assert.deepEqual([op, id], ["bots", bots.id]);
    last().reply(bots);
    assert.equal((await answer).op, "bots");
    assert.deepEqual(listStates(changes), ["online", "offline", "online"]);
  },
);

scenario("further requests do not postpone an attempt", async ({ session }) => {
  last().welcome();
  const before = sockets.length;
  for (let request = 0; request < 5; request++) {
    session.request("bots");
    clock.tick(1_000);
  }
  assert.equal(sockets.length, before + 1);
});

scenario(
  "a stalled server gets one further connection, which ends when the old one answers",
  async ({ session, changes }) => {
    last().welcome();
    const { old, answer, bots } = suspect(session);
    const attempt = last();
    const other = session.request("own"); // also on the old connection
    const { id } = old.sent.pop();
    clock.tick(9_999);
    assert.equal(last(), attempt);
    old.reply(bots);
    old.reply({ op: "own_matches", id, matches: [] });
    assert.deepEqual([(await answer).op, (await other).op], ["bots", "own_matches"]);
    assert.deepEqual([attempt.closed, old.closed], [true, false]);
    assert.deepEqual(listStates(changes), ["online", "offline", "online"]);
  },
);

for (const [name, fail, pause] of [
  ["is lost", () => last().lose(), 1_000],
  ["is not welcomed", () => clock.tick(10_000), 1_000],
  ["is refused", () => refuse(last().accept().id, "rate_limited", { retry_after: 3 }), 3_000],
]) {
  scenario(`if an attempt ${name}, the old connection is used`, async ({ session }) => {
    last().welcome();
    const { old, answer, bots } = suspect(session);
    fail();
    const before = sockets.length;
    clock.tick(pause - 1);
    assert.equal(sockets.length, before);
    clock.tick(1);
    assert.equal(sockets.length, before + 1);
    assert.deepEqual([old.closed, session.state], [false, "offline"]);
    old.reply(bots);
    assert.equal((await answer).op, "bots");
    assert.deepEqual([last().closed, session.state], [true, "online"]);
  });
}

scenario("an attempt outlives the old connection", async ({ session }) => {
  last().welcome();
  const { old } = suspect(session);
  const attempt = last();
  old.lose();
  assert.equal(last(), attempt);
  assert.equal(attempt.closed, false);
  last().welcome();
  assert.equal(session.state, "online");
});

scenario(
  "a slow request causes fewer and fewer attempts, until a ping is answered promptly",
  async ({ session }) => {
    last().welcome();
    const { answer, bots } = suspect(session);
    for (const milliseconds of [10_000, 18_000, 20_000]) {
      last().welcome();
      const before = sockets.length;
      clock.tick(milliseconds - 1);
      assert.equal(sockets.length, before);
      clock.tick(1);
      assert.equal(sockets.length, before + 1);
    }
    const answerAll = () => {
      for (const { id } of last().sent.splice(0)) last().reply({ op: "done", id });
    };
    last().welcome();
    last().reply(bots);
    await answer;
    clock.tick(1_000); // until a ping
    clock.tick(2_000); // too long for its answer
    answerAll();
    await settle();
    suspect(session, 24_000);
    last().welcome();
    answerAll();
    answerPing(15_000);
    await settle();
    suspect(session);
  },
);

scenario("a request that is repeated later causes no attempt", async ({ session }) => {
  last().welcome();
  const before = sockets.length;
  const answer = session.request("bots");
  const { id } = last().sent.pop();
  refuse(id, "rate_limited", { retry_after: 10 });
  for (let second = 0; second < 9; second++) answerPing(1_000);
  clock.tick(1_000);
  const [again] = last().sent;
  assert.deepEqual([again.op, again.id], ["bots", id]);
  last().reply({ op: "bots", id, bots: [] });
  assert.equal((await answer).op, "bots");
  assert.equal(sockets.length, before);
});

for (const [player, ...pauses] of [
  ["p-cat", 5_000, 3_750, 1_000],
  ["p-ann", 5_000, 3_750, 1_000],
  ["p-spectator", 15_000, 15_000, 15_000],
]) {
  scenario(`a running clock makes the pings of ${player} more frequent`, async ({ matches }) => {
    last().welcome({ player: { id: player, name: "Cat" } });
    answerPing(15_000);
    const rows = [
      [1, [{ event: "opened", rules: "classic", rounds: 1, clock: "20/move" }], 0],
      [2, [joined("p-ann", "maker")], 0],
      [3, [joined("p-cat", "breaker")], 0],
      [4, [{ event: "secret", by: "p-ann", commitment: new Uint8Array(32) }], 0],
    ];
    const followed = matches.follow("72S54M");
    last().reply({ op: "log", id: last().sent.pop().id, match: "72S54M", rows, now: 0 });
    await followed;
    answerPing(pauses[0]);
    answerPing(pauses[1]);
    clock.now += 20_000; // no time is left
    last().reply({ op: "presence", match: "72S54M", player: "p-ann", here: true });
    answerPing(pauses[2]);
  });
}

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
  await settle();
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

scenario("an ended session refuses its requests", async ({ session, matches, changes }) => {
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
  assert.equal(matches.size, 1);
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

scenario("attempts that open no WebSocket are counted", async ({ changes }) => {
  const count = () => changes.filter(([kind]) => kind === "unopened").map(([, { attempts }]) => attempts);
  last().lose();
  clock.tick(0);
  clock.tick(10_000); // as if a firewall drops everything
  assert.deepEqual(count(), [1, 2]);
  clock.tick(1_000);
  last().accept(); // opens, but is not welcomed
  last().lose();
  assert.deepEqual(count(), [1, 2]);
});

// Unanswered requests

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

scenario("a host who has closed the game is named until it is open again", async ({ session }) => {
  const terms = { host: "Ada" };
  last().welcome({ terms });
  last().lose(1006);
  assert.equal(session.awayHost, undefined);
  clock.tick(2_000);
  last().welcome({ terms });
  last().lose(1012, "restarting; retry_after=0.250");
  assert.equal(session.awayHost, "Ada");
  clock.tick(2_000);
  last().lose(1006); // nothing listens there
  assert.equal(session.awayHost, "Ada");
  clock.tick(2_000);
  last().welcome({ terms });
  assert.equal(session.awayHost, undefined);
});

const MATCH = "72S54M";
const NODES = { terms: { match_addresses: true } };

scenario("players of a match meet at one node", async ({ session, matches, changes }) => {
  last().welcome(NODES);
  await followLobby(session, MATCH);
  const old = last();
  matches.meet(MATCH);
  assert.equal(last().url, `${SERVER}m/4M`);
  assert.equal(session.state, "online");
  old.reply({ op: "event", match: MATCH, v: 2, events: [joined("p-cat", "breaker")] });
  last().welcome(NODES);
  assert.deepEqual(last().sent.map(({ op, v }) => [op, v]), [["follow", 2]]);
  assert.equal(old.closed, false); // opponents see no absence
  clock.tick(1_000);
  assert.ok(old.closed);
  assert.deepEqual(listStates(changes), ["online"]);
  const moved = last();
  matches.meet(MATCH);
  assert.equal(last(), moved); // it is there
});

scenario("a player stays while a live clock runs", async ({ session, matches }) => {
  last().welcome(NODES);
  await followLobby(session, MATCH, { clock: "5+3" });
  const first = last();
  first.reply({ op: "event", match: MATCH, v: 2, events: [joined("p-cat", "breaker")] });
  matches.meet(MATCH);
  assert.equal(last(), first);
});

scenario("a move that fails leaves the session where it is", async (played) => {
  const { session, matches, changes } = played;
  last().welcome(NODES);
  await followLobby(session, MATCH);
  const old = last();
  matches.meet(MATCH);
  last().lose();
  assert.deepEqual([old.closed, listStates(changes)], [false, ["online"]]);
  old.lose();
  clock.tick(1_000);
  assert.equal(last().url, SERVER);
});

scenario("a proxy that knows one address is used without the match", ({ session }) => {
  assert.equal(last().url, `${SERVER}m/4M`);
  last().lose();
  assert.equal(session.state, "offline");
  clock.tick(1_000);
  assert.equal(last().url, SERVER);
  last().welcome(NODES);
  assert.equal(session.state, "online");
}, { match: MATCH });

scenario("a session stays at a server with one node", async ({ session, matches }) => {
  last().welcome();
  await followLobby(session, MATCH);
  const only = last();
  matches.meet(MATCH);
  assert.equal(last(), only);
});
