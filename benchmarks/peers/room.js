// A match of Mastermind as a room of Colyseus: in memory, with two seats, and the rest watches.
//
// A guess is a message, and what came of it is broadcast at once, in the fields of the server's own
// frames. The room has no state for Colyseus to synchronise: patches of it go out every 50 ms, so
// that an answer waits for as long, and a move costs half as much again. All else is as it comes.

import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";

const BACKLOG = 4096; // connections that wait to be accepted: thousands come at once
const PING_INTERVAL = 20_000; // ms: who misses two is dropped, and the driver's spectators read late

function score(secret, guess) {
  let black = 0;
  const left = new Map(); // pegs of the secret that were not hit, by colour
  secret.forEach((colour, at) => {
    if (guess[at] === colour) black += 1;
    else left.set(colour, (left.get(colour) ?? 0) + 1);
  });
  let white = 0;
  guess.forEach((colour, at) => {
    if (secret[at] !== colour && left.get(colour) > 0) {
      left.set(colour, left.get(colour) - 1);
      white += 1;
    }
  });
  return { black, white };
}

class Match extends Room {
  onCreate({ secret, version }) {
    this.secret = secret;
    this.version = version;
    this.guesses = [];
    this.onMessage("guess", (client, { id, code }) => {
      if (client.sessionId !== this.breaker) return;
      const guess = { event: "guessed", code, ...score(this.secret, code) };
      this.guesses.push(guess);
      this.version += 1;
      this.broadcast("event", { op: "event", match: this.roomId, v: this.version, events: [guess], id });
    });
  }

  // Whoever opens a room makes its code, the next to come breaks it, and all others watch.
  onJoin(client) {
    if (this.maker === undefined) this.maker = client.sessionId;
    else this.breaker ??= client.sessionId;
  }
}

// For whoever is not in a match yet: Colyseus keeps no connection that is in no room.
class Hall extends Room {}

const transport = new WebSocketTransport({ pingInterval: PING_INTERVAL });
const server = new Server({ transport, greet: false });
server.define("match", Match);
server.define("hall", Hall);
await server.listen(0, "127.0.0.1", BACKLOG);
console.log(`listening on ws://127.0.0.1:${transport.server.address().port}`);
