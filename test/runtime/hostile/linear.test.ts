import { expect, test } from 'vitest';
import { HOSTILE_PARSERS, type HostileParser } from './parsers.ts';

const LARGE = 32_000;
const GROWTH = 8;
/** Shorter times are not meaningful. */
const MIN_MS = 40;
/** Quadratic time would result in 64; other load on the machine can raise it above 8. */
const MAX_RATIO = 28;
const MAX_TRIES = 4;

/** Texts of a given length that repeat a part, alone and with an end that matches nothing. */
function texts({ start = '', end = '', parts }: HostileParser, length: number): string[] {
  return parts.flatMap((part) => {
    const text = start + part.repeat(Math.ceil(length / part.length));
    return [text + end, `${text}\u0001${end}`, `${text}x\n${end}`];
  });
}

async function timeOf({ parse }: HostileParser, text: string): Promise<number> {
  const since = performance.now();
  try {
    await parse(text);
  } catch {
    // Most of these texts are invalid.
  }
  return performance.now() - since;
}

test.each(Object.entries(HOSTILE_PARSERS))(
  'parsing hostile input takes linear time: %s',
  async (_name, parser) => {
    const length = parser.maxLength ?? LARGE;
    const small = texts(parser, length / GROWTH);
    for (const [index, large] of texts(parser, length).entries()) {
      let ratio = Infinity;
      for (let tries = 0; tries < MAX_TRIES && ratio > MAX_RATIO; tries += 1) {
        const before = Math.max(MIN_MS / GROWTH, await timeOf(parser, small[index] ?? ''));
        ratio = (await timeOf(parser, large)) / before;
      }
      expect(ratio, JSON.stringify(large.slice(0, 80))).toBeLessThan(MAX_RATIO);
    }
  },
  120_000,
);
