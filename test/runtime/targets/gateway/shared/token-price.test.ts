import { assert, bigInt, constantFrom, nat, option, property, record, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { nanosOf } from '#gateway/shared/money.ts';
import {
  costOf,
  maxCostOf,
  type PriceTier,
  type TokenPrice,
  type TokenRates,
} from '#gateway/shared/price.ts';

const usd = (text: string): bigint => nanosOf(text) ?? -1n;

// Anthropic's rules: a 5-minute write costs 1.25 times the input price, a 1-hour write twice, and a read a tenth. The
// numbers below are calculated by hand from its list prices for a model at $3 and $15, which are $6 and $22.50 above
// 200,000 tokens.
const BASE: TokenRates = {
  input: usd('3'),
  output: usd('15'),
  cachedInput: usd('0.30'),
  cacheWrite: usd('3.75'),
  cacheWrite1h: usd('6'),
};
const LONG: PriceTier = {
  aboveTokens: 200_000,
  input: usd('6'),
  output: usd('22.50'),
  cachedInput: usd('0.60'),
  cacheWrite: usd('7.50'),
  cacheWrite1h: usd('12'),
};
const SONNET: TokenPrice = { ...BASE, tiers: [LONG] };

test.each([
  ['only uncached input', 1_000, 0, 0, 0, 800, '0.015'],
  ['a 5-minute cache write', 20_000, 0, 20_000, 0, 0, '0.075'],
  ['a 1-hour cache write', 5_000, 0, 5_000, 5_000, 0, '0.03'],
  ['a cache read', 100_000, 100_000, 0, 0, 0, '0.03'],
  // 1,000 uncached, 100,000 read, 20,000 written for 5 minutes, 5,000 for 1 hour: 0.003 + 0.03 + 0.075 + 0.03 + 0.012.
  ['all kinds of tokens', 126_000, 100_000, 25_000, 5_000, 800, '0.15'],
  // 0.045 + 0.15 + 0.06 + 0.012, at the tier's threshold but not above it.
  ['a prompt of exactly 200,000 tokens', 200_000, 150_000, 50_000, 10_000, 800, '0.267'],
  // 0.000006 + 0.09 + 0.3 + 0.12 + 0.018: the tier applies to all tokens of the request, including the output.
  ['a prompt of 200,001 tokens', 200_001, 150_000, 50_000, 10_000, 800, '0.528006'],
])('prices %s', (_what, input, cachedInput, cacheWrite, cacheWrite1h, output, dollars) => {
  expect(costOf({ input, cachedInput, cacheWrite, cacheWrite1h, output }, SONNET)).toBe(usd(dollars));
});

test('a missing price falls back to the next more general price', () => {
  const tokens = { input: 100, cachedInput: 10, cacheWrite: 50, cacheWrite1h: 20, output: 0 };
  const plain = { input: usd('1'), output: 0n, cachedInput: null };
  expect(costOf(tokens, plain)).toBe(usd('0.0001'));
  // 50 uncached and read, 50 written at $2.
  expect(costOf(tokens, { ...plain, cacheWrite: usd('2') })).toBe(usd('0.00015'));
  // 20 of them at $4.
  expect(costOf(tokens, { ...plain, cacheWrite: usd('2'), cacheWrite1h: usd('4') })).toBe(usd('0.00019'));
});

test('contradictory counts are never charged as more tokens than the prompt has', () => {
  const price = { input: 1_000_000n, output: 0n, cachedInput: 1_000_000n, cacheWrite: 1_000_000n };
  expect(costOf({ input: 10, cachedInput: 8, cacheWrite: 8, cacheWrite1h: 80, output: 0 }, price)).toBe(10n);
});

test('the highest tier whose threshold the prompt exceeds applies', () => {
  const tier = (aboveTokens: number, input: bigint): PriceTier => ({
    aboveTokens,
    input: input * 1_000_000n,
    output: 0n,
    cachedInput: null,
  });
  const price = { ...tier(0, 1n), tiers: [tier(10, 2n), tier(20, 3n)] };
  for (const [input, cost] of [
    [10, 10n],
    [11, 22n],
    [20, 40n],
    [21, 63n],
  ] as const) {
    expect(costOf({ input, output: 0 }, price)).toBe(cost);
  }
});

const amount = bigInt({ min: 0n, max: 9_000_000_000_000_000_000n });
const rates = record({
  input: amount,
  output: amount,
  cachedInput: option(amount),
  cacheWrite: option(amount),
  cacheWrite1h: option(amount),
});
const tier = tuple(rates, constantFrom(5, 50, 500)).map(([prices, aboveTokens]) => ({
  ...prices,
  aboveTokens,
}));
const price = tuple(rates, option(tier, { nil: undefined })).map(([base, above]): TokenPrice => ({
  ...base,
  tiers: above ? [above] : [],
}));

test('a cost is exact and rounded once', () => {
  const counts = record({
    input: nat(10_000_000),
    read: nat(100),
    written: nat(100),
    hour: nat(100),
    output: nat(),
  });
  assert(
    property(rates, counts, (prices, { input, read, written, hour, output }) => {
      const cachedInput = Math.floor((input * read) / 100);
      const cacheWrite = Math.floor(((input - cachedInput) * written) / 100);
      const cacheWrite1h = Math.floor((cacheWrite * hour) / 100);
      const writePrice = prices.cacheWrite ?? prices.input;
      const exact = [
        [input - cachedInput - cacheWrite, prices.input],
        [cachedInput, prices.cachedInput ?? prices.input],
        [cacheWrite - cacheWrite1h, writePrice],
        [cacheWrite1h, prices.cacheWrite1h ?? writePrice],
        [output, prices.output],
      ] as const;
      const sum = exact.reduce((all, [count, each]) => all + BigInt(count) * each, 0n);
      const error =
        1_000_000n * costOf({ input, cachedInput, cacheWrite, cacheWrite1h, output }, prices) - sum;
      expect(error > -500_000n && error <= 500_000n, `${error} millionths off`).toBe(true);
    }),
  );
});

test('an estimate covers the cost of every smaller request, regardless of how much of it is cached', () => {
  const shares = record({
    input: nat(100),
    cached: nat(100),
    written: nat(100),
    hour: nat(100),
    output: nat(100),
  });
  const part = (of: number, share: number): number => Math.floor((of * share) / 100);
  assert(
    property(price, nat(1000), nat(1000), shares, (prices, prompt, answer, share) => {
      const input = part(prompt, share.input);
      const cachedInput = part(input, share.cached);
      const cacheWrite = part(input - cachedInput, share.written);
      const cacheWrite1h = part(cacheWrite, share.hour);
      const output = part(answer, share.output);
      const cost = costOf({ input, cachedInput, cacheWrite, cacheWrite1h, output }, prices);
      expect(maxCostOf({ input: prompt, output: answer }, prices) >= cost).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('an estimate counts the whole prompt at the highest price that can apply', () => {
  expect(maxCostOf({ input: 1_000, output: 1_000 }, SONNET)).toBe(usd('0.021'));
  expect(maxCostOf({ input: 200_000, output: 0 }, SONNET)).toBe(usd('1.2'));
  expect(maxCostOf({ input: 200_001, output: 0 }, SONNET)).toBe(usd('2.400012'));
  expect(maxCostOf({ input: 1, output: 0 }, { input: 1n, output: 0n, cachedInput: null })).toBe(1n);
});
