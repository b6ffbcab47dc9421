import { describe, expect, test } from 'vitest';
import {
  compileLinearPattern,
  isFoundIn,
  MAX_MATCH_LENGTH,
  matchesOf,
  openMatchIn,
  replaceMatches,
} from '#platform/linear-pattern.ts';

const soon = (): number => performance.now() + 10_000;
const found = async (source: string, text: string, ignoreCase = false): Promise<string[]> =>
  (await matchesOf(compileLinearPattern(source, { ignoreCase }), text, soon())).map(({ start, end }) =>
    text.slice(start, end),
  );

describe('finds the same matches as RegExp', () => {
  const text =
    'Mail bob@example.com, IBAN DE89 3704 0044 0532 0130 00, aaaa b{2} [x] é Ünï 4111-1111 ab12 \n(end)';
  const sources = [
    String.raw`[A-Z]{2}\d{2}(?:[ ]?\d{4}){2,7}[ ]?\d{0,2}`,
    String.raw`[\w.]+@[\w.]+\.[a-z]{2,}`,
    'a{2}',
    'a{1,3}?',
    'a{2,}',
    '(a|b){1,2}',
    '(?<name>a)b?',
    String.raw`\b\d{4}-?\d{4}\b`,
    String.raw`b\{2\}`,
    '[{]2[}]',
    String.raw`[\]x[]+`,
    String.raw`\u00e9|\x55|Ü`,
    'x{0}a',
    '^M|d.$',
    '(?:(?:a{1,2}){1,2}){1,2}',
  ];
  test.each(sources)('%s', async (source) => {
    const usual = [...text.matchAll(new RegExp(source, 'g'))]
      .map(([match]) => match)
      .filter((match) => match !== '');
    expect(await found(source, text)).toEqual(usual);
    expect(usual).not.toEqual([]);
  });
  test.each(sources)('%s, regardless of where the text is split', async (source) => {
    const pattern = compileLinearPattern(source);
    const matches = await matchesOf(pattern, text, soon());
    for (let cut = 0; cut <= text.length; cut += 1) {
      const part = text.slice(0, cut);
      let from = 0;
      // A match before the open end of a part is also a match in the whole text.
      const whole = [...matches];
      for (;;) {
        const open = openMatchIn(pattern, part, from);
        const [next] = await matchesOf(pattern, part, soon(), from);
        const [expected] = whole;
        const isCut = expected !== undefined && expected.start < cut && expected.end > cut;
        expect(isCut && open > expected.start, String(cut)).toBe(false);
        if (!next || next.start >= open) break;
        expect(next, String(cut)).toEqual(whole.shift());
        from = next.end;
      }
    }
  });
});

test('case-insensitive matching works in character classes, and escapes keep their meaning', async () => {
  expect(await found(String.raw`SECRET[ -]Pro[A-Z]+\S`, 'my Secret-PROJECT! secret project.', true)).toEqual([
    'Secret-PROJECT!',
    'secret project.',
  ]);
  expect(await found('secret', 'SECRET')).toEqual([]);
});

test('matches across chunk boundaries are found once and completely', async () => {
  for (const length of [8190, 8191, 8192, 8193, 8192 + MAX_MATCH_LENGTH - 2, 20_000]) {
    const text = `${'.'.repeat(length)}abcd ${'.'.repeat(9000)} abcd`;
    expect(await found(String.raw`\babcd\b`, text), String(length)).toEqual(['abcd', 'abcd']);
  }
  const long = `${'.'.repeat(8000)}${'x'.repeat(MAX_MATCH_LENGTH)}.`;
  expect((await found('x+', long)).join('')).toBe('x'.repeat(MAX_MATCH_LENGTH));
});

test('a pattern that cannot be matched in linear time is rejected with a reason', () => {
  const reason = (source: string): unknown => {
    try {
      return compileLinearPattern(source);
    } catch (error) {
      return String(error);
    }
  };
  expect(reason(String.raw`(a)\1`)).toContain('backreference is not supported');
  expect(reason('(?<=a)b')).toContain('cannot be matched in linear time');
  expect(reason('a(?=b)')).toContain('cannot be matched in linear time');
  expect(reason('(a')).toContain('Unterminated group');
  expect(reason('a)')).toContain('Unmatched');
  expect(reason('a{2,1}')).toContain('out of order');
  expect(reason('(abc){9000}')).toContain('The repetition {9000} is too long');
  expect(reason('((a{50}){50}){50}')).toContain('too long');
});

test('patterns that block RegExp finish quickly, and other work continues', async () => {
  const evil = 'a'.repeat(100_000);
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  expect((await found('(a+)+$', `${evil}!`)).length).toBe(0);
  expect((await found('(a|aa)+b', evil)).length).toBe(0);
  expect(await found('!$', `${evil}!`)).toEqual(['!']);
  clearInterval(timer);
  expect(longest).toBeLessThan(1000);
  // Each match searches to the end of the part, which is too much work in total, so the deadline ends the search.
  const slow = matchesOf(compileLinearPattern('a[^]*b|a'), evil, performance.now() + 50);
  await expect(slow).rejects.toThrow('took too long');
});

test('scanning a chunk is fast even for the longest patterns', async () => {
  const pattern = compileLinearPattern('(?:[ab]|ab){0,60}c');
  const text = 'ab'.repeat(20_000);
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await matchesOf(pattern, text, soon());
  clearInterval(timer);
  expect(longest).toBeLessThan(1000);
  expect(isFoundIn(pattern, `${text.slice(0, 1000)}c`)).toBe(true);
  expect(() => isFoundIn(pattern, text)).toThrow('is too long for the pattern');
});

test('only text that can still become a match is held back', () => {
  const open = (source: string, text: string): string => {
    const pattern = compileLinearPattern(source, { ignoreCase: true });
    return text.slice(openMatchIn(pattern, text, 0));
  };
  const iban = String.raw`[A-Z]{2}\d{2}(?: ?\d{4}){2,7}`;
  expect(open(iban, 'to de89 3704 0')).toBe('de89 3704 0');
  expect(open(iban, 'to de89 3704 0044 0532')).toBe('de89 3704 0044 0532');
  expect(open(iban, 'to de89x')).toBe('x');
  expect(open(iban, 'Hello.')).toBe('');
  expect(open('a[^]*z', `xa${'b'.repeat(2000)}`)).toBe('');
  expect(open('(?:[ab]|ab){0,60}c', 'ab'.repeat(2000))).toHaveLength(MAX_MATCH_LENGTH);
});

test('replaces matches', async () => {
  const pattern = compileLinearPattern(String.raw`\d+`);
  expect(await replaceMatches(pattern, 'a1b22c', '#', soon())).toBe('a#b#c');
});
