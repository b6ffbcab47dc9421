/**
 * Returns the number of pairs of tokens (texts x length²) above which a batch is large: the memory for attention scores grows
 * with it, and threads keep the memory of their largest batch. Large texts run one at a time (docs/decisions/0058).
 */
export const maxPairsInThreads = (bytesPerPair: number, memoryBytes: number): number =>
  Math.min(MAX_BYTES, memoryBytes * MEMORY_SHARE) / bytesPerPair;

/** With 12 attention heads, a text of 1632 tokens. */
const MAX_BYTES = 256_000_000;
const MEMORY_SHARE = 1 / 16;
