// What the browser keeps: its storages, and the tokens of the players of a server.

/**
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TokenStorage
 * @typedef {{id: string, name: string, token: string}} Former A player that this device was before.
 */

const MOST_FORMER = 5; // players that a device keeps, for one page of names

/**
 * Return a storage of the page, or undefined where the browser blocks it. Its methods may throw
 * too.
 * @param {"localStorage" | "sessionStorage"} kind
 */
export function findStorage(kind) {
  try {
    return window[kind];
  } catch {
    return undefined;
  }
}

/**
 * Return the result of `action`, or undefined where the browser blocks the storage: then it calls
 * `onBlocked`.
 * @template T
 * @param {TokenStorage | undefined} storage @param {(storage: TokenStorage) => T} action
 * @param {() => void} [onBlocked]
 */
export function useStorage(storage, action, onBlocked) {
  try {
    return storage && action(storage);
  } catch {
    onBlocked?.();
    return undefined;
  }
}

/** The tokens of this device for a server. */
export class Tokens {
  /** Whether only this tab keeps the token, because the browser blocks its storage. */
  isGuest = false;
  /** The present player's. @type {string | undefined} */
  token;
  /**
   * The players that this device was before it became another one by a transfer code, newest first.
   * @type {Former[]}
   */
  former = [];
  #key;
  #formerKey;
  #storage;

  /** @param {string} url of the server @param {TokenStorage} [storage] */
  constructor(url, storage) {
    this.#key = `mastermind.token ${url}`;
    this.#formerKey = `mastermind.former ${url}`;
    this.#storage = storage;
    this.isGuest = storage === undefined;
    this.token = this.#read();
    this.former = this.#use((kept) => JSON.parse(kept.getItem(this.#formerKey) ?? "[]")) ?? [];
  }

  /** Replace the token. @param {string | undefined} token */
  write(token) {
    this.token = token;
    this.#use((storage) => {
      if (token === undefined) storage.removeItem(this.#key);
      else storage.setItem(this.#key, token);
    });
  }

  /** Use the token that another tab has stored, if any. Returns whether there is one. */
  adopt() {
    const stored = this.#read();
    if (stored === undefined || stored === this.token) return false;
    this.token = stored;
    return true;
  }

  /**
   * Keep the present player, which another one replaces, and forget that one.
   * @param {{id: string, name: string} | undefined} player @param {string} id the other's
   */
  keepFormer(player, id) {
    const { token, former } = this;
    const isKept = player && token && player.id !== id;
    const kept = isKept ? [{ id: player.id, name: player.name, token }] : [];
    this.#writeFormer([...kept, ...former.filter((each) => ![id, player?.id].includes(each.id))]);
  }

  /** Forget a former player. @param {string} token its token */
  forgetFormer(token) {
    this.#writeFormer(this.former.filter((each) => each.token !== token));
  }

  /** @param {Former[]} former */
  #writeFormer(former) {
    this.former = former.slice(0, MOST_FORMER);
    this.#use((storage) => storage.setItem(this.#formerKey, JSON.stringify(this.former)));
  }

  #read() {
    return this.#use((storage) => storage.getItem(this.#key)) ?? undefined;
  }

  /**
   * Return the result of `action`, or undefined where the browser blocks the storage: then the
   * player is a guest of this tab.
   * @template T @param {(storage: TokenStorage) => T} action
   */
  #use(action) {
    return useStorage(this.#storage, action, () => (this.isGuest = true));
  }
}
