import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { Refusal } from "../../../web/mastermind_web/game.js";
import { encode } from "../../../web/mastermind_web/msgpack.js";
import { Session } from "../../../web/mastermind_web/session.js";
import { Clock, ScriptedSocket, Store, plain, readVectors, sockets, toHex } from "./kit.mjs";

const URL = "wss://game.test/";
const KEY = `mastermind.token ${URL}`;
const TOKEN = "t".repeat(43);

globalThis.WebSocket = ScriptedSocket;
/** @type {Clock} */
let clock;
const settle = () => new Promise((resolve) => setImmediate(resolve));
const last = () => sockets.at(-1);

/** Run a test with its own session and clock. `session` has the changes that it reports. */
function scenario(name, play, { token, firstId = 1, ...options } = {}) {
  test(name, async () => {
    const { storage } = { storage: new Store(token && [[KEY, token]]), ...options };
    clock = new Clock();
    const random = mock.method(
      crypto,
      "getRandomValues",
      (words) => words.set([0, firstId - 1]) ?? words,
    );
    mock.method(Math, "random", () => 1);
    const changes = [];
    const page = new EventTarget();
    const session = new Session({
      url: URL,
      storage,
      page,
      onChange: (kind, data) => changes.push([kind, data]),
    });
    const report = (kind) => page.dispatchEvent(new Event(kind));
    try {
      await play({ session, changes, storage, report, random });
    } finally {
      session.close();
      mock.restoreAll();
      clock.restore();
    }
  });
}

/** Let the session follow a match of which the server has one row. */
async function followLobby(session, code = "72S54M") {
  const followed = session.follow(code);
  const { id } = last().sent.pop();
  const opened = [{ event: "opened", rules: "classic", rounds: 1 }, joined("p-ann", "maker")];
  last().reply({
    op: "log",
    id,
    match: code,
    rows: [[1, opened]],
    present: ["p-ann"],
    spectators: 1,
  });
  return followed;
}
const joined = (id, seat) => ({ event: "joined", player: { id, name: id }, seat });

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

scenario("two first visits make one player", async ({ session, storage, report }) => {
  const first = last();
  const other = new Session({ url: URL, storage, onChange: () => {}, page: new EventTarget() });
  const second = last();
  first.welcome({ token: TOKEN });
  second.welcome({ token: "u".repeat(43), player: { id: "p-two", name: "Two" } });
  assert.equal(storage.get(KEY), TOKEN);
  assert.ok(second.closed);
  assert.equal(last().accept().token, TOKEN);
  storage.set(KEY, "v".repeat(43)); // both tabs stored a token at the same time: the later one counts
  report("storage");
  assert.equal(last().accept().token, "v".repeat(43));
  other.close();
  assert.equal(session.isGuest, false);
});

const throws = () => {
  throw new Error("blocked");
};
for (const [name, storage] of [
  ["no storage", undefined],
  ["a blocked storage", { getItem: throws, setItem: throws, removeItem: throws }],
]) {
  scenario(
    `with ${name} the player is a guest of this tab`,
    async ({ session }) => {
      last().welcome({ token: TOKEN });
      assert.equal(session.isGuest, true);
      last().lose();
      clock.tick(0);
      assert.equal(last().accept().token, TOKEN);
    },
    { storage },
  );
}

scenario(
  "an unknown token is deleted, and the player is new",
  async ({ session, storage }) => {
    const hello = last().accept();
    assert.equal(hello.token, TOKEN);
    last().reply({ op: "error", id: hello.id, code: "unknown_token", message: "Not so." });
    const again = last().sent.pop();
    assert.deepEqual([again.op, again.token], ["hello", undefined]);
    last().reply({
      op: "welcome",
      id: again.id,
      player: { id: "p-new", name: "New" },
      token: "u".repeat(43),
    });
    assert.equal(storage.get(KEY), "u".repeat(43));
    assert.equal(session.player.id, "p-new");
  },
  { token: TOKEN },
);

const refuse = (id, code, fields = {}) =>
  last().reply({ op: "error", id, code, message: "Not so.", ...fields });
const isRefusal = (code) => (error) => error instanceof Refusal && error.code === code;

for (const [name, end] of [
  ["an error", () => refuse(undefined, "logged_out")],
  ["the close of the connection", () => last().lose(1008, "logged out")],
]) {
  scenario(`${name} logs this player out and deletes the token`, async ({ session, storage }) => {
    last().welcome({ token: TOKEN });
    const request = session.request("bots");
    end();
    await assert.rejects(request, isRefusal("logged_out"));
    await assert.rejects(session.request("bots"), isRefusal("logged_out"));
    assert.equal(session.state, "ended");
    assert.equal(storage.size, 0);
    session.identify().catch(() => {});
    assert.equal(last().accept().token, undefined);
  });
}

for (const [code, answer] of [
  ["unknown_token", true],
  ["logged_out", false],
]) {
  scenario(
    `after ${code} the tab takes the token that another tab has stored meanwhile`,
    async ({ storage }) => {
      if (!answer) last().welcome();
      const id = answer ? last().accept().id : undefined;
      storage.set(KEY, "u".repeat(43));
      refuse(id, code);
      assert.equal(storage.get(KEY), "u".repeat(43));
      assert.equal(last().accept().token, "u".repeat(43));
    },
    { token: TOKEN },
  );
}

scenario("a new name is sent until the server answers it", async ({ session, report }) => {
  const first = session.identify({ name: "Dan" });
  const second = session.identify({ name: "Eve" });
  await assert.rejects(first, isRefusal("closed"));
  const connecting = last();
  report("online");
  assert.equal(last(), connecting);
  const hello = last().accept();
  assert.equal(hello.name, "Eve");
  refuse(hello.id, "rate_limited", { retry_after: 3 });
  clock.tick(3_000);
  const again = last().accept();
  assert.equal(again.name, "Eve");
  last().reply({ op: "welcome", id: again.id, player: { id: "p-cat", name: "Eve" } });
  await second;
  last().lose();
  clock.tick(1_000);
  assert.equal(last().accept().name, undefined);
});

scenario("a closed session refuses its requests", async ({ session, changes }) => {
  last().welcome();
  await followLobby(session);
  last().lose();
  clock.tick(0);
  last().welcome();
  const request = session.request("bots");
  session.close();
  await assert.rejects(request, isRefusal("closed"));
  await settle();
  assert.deepEqual(changes.at(-1), ["state", "ended"]);
  assert.ok(last().closed);
});

scenario(
  "a ban ends the session and keeps the token",
  async ({ session, storage }) => {
    const { id } = last().accept();
    refuse(id, "banned", { retry_after: 60 });
    assert.equal(session.state, "ended");
    assert.equal(session.ending.retryAfter, 60);
    assert.equal(storage.get(KEY), TOKEN);
    const before = sockets.length;
    clock.tick(3_600_000);
    assert.equal(sockets.length, before);
  },
  { token: TOKEN },
);

scenario("frames that the server cannot read end the session", async ({ session }) => {
  last().welcome();
  last().lose(1008, "too many bad frames");
  assert.equal(session.ending.code, "bug");
});

scenario(
  "a transfer code makes this tab another player",
  async ({ session, storage }) => {
    last().welcome();
    await followLobby(session);
    const wrong = session.identify({ transfer: "AAAAAAAA" });
    let hello = last().accept();
    assert.deepEqual([hello.transfer, hello.token], ["AAAAAAAA", undefined]);
    refuse(hello.id, "unknown_transfer");
    await assert.rejects(wrong, isRefusal("unknown_transfer"));
    hello = last().sent.pop();
    assert.deepEqual([hello.transfer, hello.token], [undefined, TOKEN]);
    const right = session.identify({ transfer: "BBBBBBBB" });
    last().welcome({ token: "u".repeat(43), player: { id: "p-dan", name: "Dan" } });
    await right;
    assert.equal(storage.get(KEY), "u".repeat(43));
    const { op, match, v } = last().sent.pop();
    assert.deepEqual([op, match, v], ["follow", "72S54M", 0]);
  },
  { token: TOKEN },
);

scenario("too many connections: the session waits as long as the server says", async () => {
  last().accept();
  refuse(undefined, "too_many", { limit: 10, retry_after: 5 });
  const before = sockets.length;
  clock.tick(4_999);
  assert.equal(sockets.length, before);
  clock.tick(1);
  assert.equal(sockets.length, before + 1);
});

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

scenario(
  "a match that the server has restored is folded again from its first row",
  async ({ session }) => {
    last().welcome();
    await followLobby(session);
    last().lose();
    clock.tick(0);
    last().welcome();
    const { id, v } = last().sent.pop();
    assert.equal(v, 1);
    refuse(id, "stale_version", { limit: 0 });
    assert.equal(last().sent.pop().v, 0);
    assert.equal(session.matches.get("72S54M").match, undefined);
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

/** Follow a match in which Cat has just to guess: version 3. */
async function followGuessing(session) {
  await followLobby(session);
  last().reply({ op: "event", match: "72S54M", v: 2, events: [joined("p-cat", "breaker")] });
  const secret = { event: "secret", by: "p-ann", commitment: new Uint8Array(32) };
  last().reply({ op: "event", match: "72S54M", v: 3, events: [secret] });
}

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
  assert.deepEqual(plain(changes.at(-1)), [
    "match",
    { code: "72S54M", events: opened, live: false },
  ]);
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
  assert.deepEqual(changes.at(-1), ["match", { code: "72S54M", events: [], live: true }]);
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
    assert.deepEqual([known.present, known.absent], [[], { "p-ann": Date.now() }]);
    assert.deepEqual(changes.at(-1), [
      "presence",
      { code: "72S54M", player: "p-ann", here: false },
    ]);
    reply("presence", { player: "p-ann", here: true });
    assert.deepEqual([known.present, known.absent], [["p-ann"], {}]);
    reply("spectators", { count: 7 });
    assert.equal(known.spectators, 7);
    assert.deepEqual(changes.at(-1), ["spectators", { code: "72S54M" }]);
    const line = { room: "players", n: 1, by: "p-ann", name: "Ann", text: "Hi" };
    reply("said", { line });
    reply("chat", { lines: [line, { ...line, n: 2 }, { ...line, room: "spectators" }] });
    reply("chat", { lines: [line] });
    const told = changes
      .filter(([kind]) => kind === "chat")
      .map(([, { lines, live }]) => [lines.length, live]);
    assert.deepEqual(told, [
      [1, true],
      [2, false],
    ]);
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
    assert.deepEqual(changes.at(-1), ["announcement", { text: "Soon.", match: undefined }]);
    last().reply({ op: "later", match: "72S54M" });
    const gone = session.unfollow("72S54M");
    last().reply({ op: "done", id: last().sent.pop().id });
    await gone;
    reply("spectators", { count: 8 });
    assert.equal(session.matches.size, 0);
  },
);
