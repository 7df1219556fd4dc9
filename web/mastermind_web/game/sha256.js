// SHA-256 (FIPS 180-4). Web Crypto has it too, but not on pages without TLS.

/** @type {number[]} */
const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number++) {
  if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
}
/** Return the first 32 bits of the fraction of `number`. @param {number} number */
const fraction = (number) => ((number % 1) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

/** @param {number} word @param {number} bits */
const rotate = (word, bits) => (word >>> bits) | (word << (32 - bits));

/**
 * Return the 32 bytes of the SHA-256 of `bytes`.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
export function sha256(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 64; t++) {
      if (t < 16) words[t] = view.getInt32(block + 4 * t);
      else {
        const [x, y] = [words[t - 15], words[t - 2]];
        const low = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
        const high = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
        words[t] = words[t - 16] + low + words[t - 7] + high;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t++) {
      const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + high + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]) | 0;
      const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] += word));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setInt32(4 * index, word));
  return new Uint8Array(digest.buffer);
}
