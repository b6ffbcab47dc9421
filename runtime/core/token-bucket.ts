/** How many, in which time: `{ count: 100, milliseconds: 60_000 }` is 100 a minute, all of which may come at once. */
export interface Rate {
  readonly count: number;
  readonly milliseconds: number;
}

export interface TokenBucket {
  /** Takes one token. Returns how many milliseconds to wait for the next one if there is none now, else 0. */
  take(now: number): number;
}

/** A bucket that holds as many tokens as the rate counts, is full at first, and fills evenly. */
export function createTokenBucket({ count, milliseconds }: Rate): TokenBucket {
  // A token costs `milliseconds`, and each millisecond brings `count`: whole numbers, which never fall short by a rounding.
  const full = count * milliseconds;
  let credit = full;
  let filledAt = -Infinity;
  return {
    take(now) {
      // A clock that was set back fills nothing.
      const passed = Math.max(0, now - filledAt);
      credit = Math.min(full, credit + passed * count);
      filledAt = now;
      if (credit < milliseconds) return Math.ceil((milliseconds - credit) / count);
      credit -= milliseconds;
      return 0;
    },
  };
}
