import assert from "node:assert/strict";

import { Session } from "../../../../web/mastermind_web/connection/session.js";
import {
  KEY,
  TOKEN,
  SERVER,
  clock,
  followLobby,
  isRefusal,
  last,
  refuse,
  scenario,
  sockets,
} from "./scripted.mjs";

scenario("two first visits make one player", async ({ session, storage, report }) => {
  const first = last();
  new Session({ url: SERVER, storage, onChange: () => {}, page: new EventTarget() });
  const second = last();
  first.welcome({ token: TOKEN });
  second.welcome({ token: "u".repeat(43), player: { id: "p-two", name: "Two" } });
  assert.equal(storage.get(KEY), TOKEN);
  assert.ok(second.closed);
  assert.equal(last().accept().token, TOKEN);
  storage.set(KEY, "v".repeat(43)); // both tabs stored a token at the same time: the later one counts
  report("storage");
  assert.equal(last().accept().token, "v".repeat(43));
  assert.equal(session.tokens.isGuest, false);
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
      assert.equal(session.tokens.isGuest, true);
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

scenario(
  "a transfer code makes this tab another player",
  async ({ session, storage }) => {
    last().welcome();
    await followLobby(session);
    const old = last();
    const wrong = session.identify({ transfer: "AAAAAAAA" });
    assert.ok(old.closed);
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

const ANN = { id: "p-ann", name: "Ann" };
/** Become Ann by a transfer code. */
async function becomeAnn(session) {
  last().welcome();
  const becoming = session.identify({ transfer: "BBBBBBBB" });
  last().welcome({ token: "u".repeat(43), player: ANN });
  await becoming;
}

scenario(
  "a device keeps the player that it was before, and can be that player again",
  async ({ session, storage }) => {
    await becomeAnn(session);
    const [cat] = session.tokens.former;
    assert.deepEqual(session.tokens.former, [{ id: "p-cat", name: "Cat", token: TOKEN }]);
    const again = session.identify({ token: cat.token });
    const hello = last().accept();
    assert.equal(hello.token, TOKEN);
    last().reply({ op: "welcome", id: hello.id, player: { id: "p-cat", name: "Cat" } });
    await again;
    assert.equal(storage.get(KEY), TOKEN);
    const [ann] = [{ ...ANN, token: "u".repeat(43) }];
    assert.deepEqual(session.tokens.former, [ann]);
    const reloaded = new Session({ url: SERVER, storage, onChange: () => {}, page: new EventTarget() });
    assert.deepEqual(reloaded.tokens.former, [ann]);
  },
  { token: TOKEN },
);

scenario(
  "a former player that the server does not know any more is dropped, and the present one stays",
  async ({ session, storage }) => {
    await becomeAnn(session);
    const again = session.identify({ token: TOKEN });
    refuse(last().accept().id, "unknown_token");
    await assert.rejects(again, isRefusal("unknown_token"));
    assert.equal(last().sent.pop().token, "u".repeat(43));
    assert.equal(storage.get(KEY), "u".repeat(43));
    assert.deepEqual(session.tokens.former, []);
  },
  { token: TOKEN },
);

scenario(
  "a player that the server has forgotten is reported",
  async ({ changes }) => {
    refuse(last().accept().id, "unknown_token");
    assert.deepEqual(changes.at(-1), ["forgotten", undefined]);
  },
  { token: TOKEN },
);
