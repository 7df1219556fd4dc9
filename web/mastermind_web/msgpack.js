// The part of msgpack that the protocol uses: no extension types, and numbers up to 2 ** 53.

/** @typedef {null | boolean | number | string | Uint8Array | Value[] | {[key: string]: Value | undefined}} Value */

const DEPTH = 16; // far more than any message nests

/**
 * Return the msgpack bytes of `value`. Fields of maps that are undefined are omitted.
 *
 * Integers beyond 32 bits become float 64, which the protocol allows for fields of requests.
 * @param {Value} value
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function encode(value) {
  /** @type {number[]} */
  const bytes = [];
  write(bytes, value);
  return Uint8Array.from(bytes);
}

/** @param {number[]} bytes @param {number} value @param {number} size */
function writeInt(bytes, value, size) {
  for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes.push((value >>> shift) & 255);
}

/**
 * Write the head of a str, bin, array or map: in one byte `short + size` below `limit`, otherwise
 * a type byte and the size. `types` lists the type bytes for sizes of 1, 2 and 4 bytes.
 * @param {number[]} bytes @param {number} size @param {number} short @param {number} limit
 * @param {number[]} types
 */
function writeHead(bytes, size, short, limit, types) {
  const width = size < 256 && types[0] ? 0 : size < 65536 ? 1 : 2;
  if (size < limit) bytes.push(short + size);
  else {
    bytes.push(types[width]);
    writeInt(bytes, size, 2 ** width);
  }
}

/** @param {number[]} bytes @param {number} value */
function writeNumber(bytes, value) {
  if (!Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value);
    bytes.push(0xcb, ...new Uint8Array(view.buffer));
  } else if (value >= -32 && value < 128) bytes.push(value & 255);
  else if (value < 0) {
    bytes.push(0xd2);
    writeInt(bytes, value, 4);
  } else writeHead(bytes, value, 0, 0, [0xcc, 0xcd, 0xce]);
}

/** @param {number[]} bytes @param {Value} value */
function write(bytes, value) {
  if (value === null) bytes.push(0xc0);
  else if (typeof value === "boolean") bytes.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") writeNumber(bytes, value);
  else if (typeof value === "string") {
    const text = new TextEncoder().encode(value);
    writeHead(bytes, text.length, 0xa0, 32, [0xd9, 0xda, 0xdb]);
    bytes.push(...text);
  } else if (value instanceof Uint8Array) {
    writeHead(bytes, value.length, 0, 0, [0xc4, 0xc5, 0xc6]);
    bytes.push(...value);
  } else if (Array.isArray(value)) {
    writeHead(bytes, value.length, 0x90, 16, [0, 0xdc, 0xdd]);
    for (const item of value) write(bytes, item);
  } else {
    const fields = Object.entries(value).filter(([, item]) => item !== undefined);
    writeHead(bytes, fields.length, 0x80, 16, [0, 0xde, 0xdf]);
    for (const [key, item] of fields) {
      write(bytes, key);
      write(bytes, /** @type {Value} */ (item));
    }
  }
}

/**
 * Return the value of the msgpack `bytes`; maps have no prototype. Throws for invalid bytes.
 * @param {Uint8Array} bytes
 * @returns {Value}
 */
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let at = 0;
  /** @param {number} size */
  const take = (size) => {
    if (at + size > bytes.length) throw new RangeError("the frame ends too early");
    at += size;
    return bytes.subarray(at - size, at);
  };
  /** @param {number} size @returns {number} */
  const uint = (size) => take(size).reduce((sum, byte) => sum * 256 + byte, 0);
  /** @param {number} size */
  const int = (size) => (size === 8 ? view.getInt32(at) * 2 ** 32 + 0 * uint(4) + uint(4) : (uint(size) << (32 - 8 * size)) >> (32 - 8 * size));
  /** @param {number} size */
  const text = (size) => utf8.decode(take(size));
  /** @param {number} size @param {number} depth */
  const array = (size, depth) => Array.from({ length: Math.min(size, bytes.length) }, () => read(depth));
  /** @param {number} size @param {number} depth */
  const map = (size, depth) => {
    /** @type {{[key: string]: Value}} */
    const fields = Object.create(null);
    for (let index = 0; index < size; index++) {
      const key = read(depth);
      if (typeof key !== "string") throw new TypeError("the key of a map is not a str");
      fields[key] = read(depth);
    }
    return fields;
  };
  /** @param {number} depth @returns {Value} */
  const read = (depth) => {
    if (depth > DEPTH) throw new RangeError("the frame nests too deep");
    const type = uint(1);
    if (type < 0x80) return type;
    if (type < 0x90) return map(type & 15, depth + 1);
    if (type < 0xa0) return array(type & 15, depth + 1);
    if (type < 0xc0) return text(type & 31);
    if (type >= 0xe0) return type - 256;
    switch (type) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xc5: case 0xc6: return take(uint(2 ** (type - 0xc4))).slice();
      case 0xca: return (take(4), view.getFloat32(at - 4));
      case 0xcb: return (take(8), view.getFloat64(at - 8));
      case 0xcc: case 0xcd: case 0xce: case 0xcf: return uint(2 ** (type - 0xcc));
      case 0xd0: case 0xd1: case 0xd2: case 0xd3: return int(2 ** (type - 0xd0));
      case 0xd9: case 0xda: case 0xdb: return text(uint(2 ** (type - 0xd9)));
      case 0xdc: case 0xdd: return array(uint(2 ** (type - 0xdb)), depth + 1);
      case 0xde: case 0xdf: return map(uint(2 ** (type - 0xdd)), depth + 1);
      default: throw new TypeError(`unused msgpack type ${type}`);
    }
  };
  const value = read(0);
  if (at !== bytes.length) throw new RangeError("the frame has more than one value");
  return value;
}
