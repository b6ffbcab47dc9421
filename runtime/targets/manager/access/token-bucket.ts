import { lookup } from '#core/values/lookup.ts';
/** A rate: `{ count: 100, milliseconds: 60_000 }` is 100 per minute, possibly in one burst. */
export interface Rate {
  readonly count: number;
  readonly milliseconds: number;
}

export interface TokenBucket {
  /**
   * Takes a token. Returns 0 on success, otherwise the number of milliseconds until the next token
   * is available.
   */
  take(now: number): number;
}

/** A token bucket whose capacity is the rate; it starts full and refills evenly. */
export function createTokenBucket({ count, milliseconds }: Rate): TokenBucket {
  // A token costs `milliseconds`, and each millisecond adds `count`: integer arithmetic avoids rounding
  // errors.
  const full = count * milliseconds;
  let credit = full;
  let filledAt = -Infinity;
  return {
    take(now) {
      // A clock that moved backwards adds nothing.
      const passed = Math.max(0, now - filledAt);
      credit = Math.min(full, credit + passed * count);
      filledAt = now;
      if (credit < milliseconds) return Math.ceil((milliseconds - credit) / count);
      credit -= milliseconds;
      return 0;
    },
  };
}

const UNITS = lookup<number>({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/** Parses a rate: `100/m` is 100 per minute. Undefined if the text is not a rate. */
export function parseRate(text: string): Rate | undefined {
  const [, count = '', unit = ''] = /^\s*(\d{1,9})\s*\/\s*([smhd])\s*$/.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  return milliseconds === undefined || Number(count) === 0
    ? undefined
    : { count: Number(count), milliseconds };
}

/** Description of the rate syntax for error messages. */
export const RATE_RULE = 'a number, a slash and a unit (s, m, h or d), e.g. 100/m';
