/** The byte sequences of an encoding. The rank of one is its place in the list, and its token id. */
export interface Ranks {
  /** The rank of the bytes from `start` to `end`; -1 if they are not a token. */
  readonly find: (bytes: Uint8Array, start: number, end: number) => number;
}

/** Two slots for each token at least, so that most look-ups need one comparison. */
const SLOTS_PER_TOKEN = 2;
/** Ranks are below 262,144, and tokens are shorter than 256 bytes. */
const RANK_BITS = 18;
const RANK_MASK = 2 ** RANK_BITS - 1;
/** Tokens that are read without a pause; a few milliseconds. */
const TOKENS_AT_ONCE = 20_000;

/**
 * Reads a list: the number of tokens (4 bytes, little-endian), the length of each, and then their bytes. Yields between parts, so that
 * requests are answered meanwhile.
 *
 * The table has the hash and the length of each token instead of its bytes: a look-up reads one line of memory instead of four. One in
 * 100,000 sequences that are not a token is taken for one, which does not matter for an estimate.
 */
export async function readRanks(data: Uint8Array, pause: () => Promise<void>): Promise<Ranks> {
  const count = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const lengths = data.subarray(4, 4 + count);
  const bytes = data.subarray(4 + count);
  const mask = 2 ** Math.ceil(Math.log2(count * SLOTS_PER_TOKEN)) - 1;
  /** In each slot a hash, and a length with a rank; 0 is an empty slot, as no token is empty. */
  const table = new Int32Array(2 * (mask + 1));
  for (let rank = 0, end = 0; rank < count; rank += 1) {
    const start = end;
    end += lengths[rank] as number;
    const hash = hashOf(bytes, start, end);
    let slot = hash & mask;
    while (table[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
    table[2 * slot] = hash;
    table[2 * slot + 1] = rank | ((lengths[rank] as number) << RANK_BITS);
    if (rank % TOKENS_AT_ONCE === TOKENS_AT_ONCE - 1) await pause();
  }
  return {
    find(text, start, end) {
      const hash = hashOf(text, start, end);
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const entry = table[2 * slot + 1] as number;
        if (entry === 0) return -1;
        if (table[2 * slot] === hash && entry >>> RANK_BITS === end - start) return entry & RANK_MASK;
      }
    },
  };
}

/** FNV-1a, with its high bits mixed into the low ones, which select the slot. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01_00_01_93);
  return hash ^ (hash >>> 15);
}
