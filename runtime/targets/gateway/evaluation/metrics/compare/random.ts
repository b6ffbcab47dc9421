/** A reproducible random number generator, identical on every machine. */
export interface Random {
  /** Returns an integer from 0 to 2^32 - 1. */
  readonly uint32: () => number;
  /** Returns an integer from 0 to `limit` - 1; `limit` is at most 2^21, so that the product below is exact. */
  readonly below: (limit: number) => number;
}

/**
 * The sfc32 generator (three words of state and a counter, https://pracrand.sourceforge.net/RNG_engines.txt), seeded with 32
 * bits in all three words and a counter of 1, with the first fifteen numbers discarded.
 */
export function seededRandom(seed: number): Random {
  let [a, b, c, counter] = [seed | 0, seed | 0, seed | 0, 1];
  const uint32 = (): number => {
    const next = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + next) | 0;
    return next >>> 0;
  };
  for (let round = 0; round < 15; round++) uint32();
  return { uint32, below: (limit) => Math.floor((uint32() * limit) / 2 ** 32) };
}
