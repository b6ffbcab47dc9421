import { describe, expect, test } from 'vitest';
import { defaultOutputName } from '#cli/config/output-name.ts';

describe('defaultOutputName', () => {
  test.each([
    ['sentiment', 'sentiment.encoder'],
    ['all-MiniLM-L6-v2.1_b', 'all-MiniLM-L6-v2.1_b.encoder'],
    ['sentence-transformers/all-MiniLM', 'sentence-transformers-all-MiniLM.encoder'],
    ['my model', 'my-model.encoder'],
    ['a  /\\:*?"<>|  b', 'a-b.encoder'],
    ['a - b', 'a-b.encoder'],
    ['модель №1', 'модель-1.encoder'],
    ['नमस्ते', 'नमस्ते.encoder'],
    ['Cafe\u0301', 'Caf\u00E9.encoder'],
    ['🤗 hug 🤗', 'hug.encoder'],
    ['🤗', 'model.encoder'],
    ['..', 'model.encoder'],
    ['../../etc/passwd', 'etc-passwd.encoder'],
    ['.hidden', 'hidden.encoder'],
    ['--help', 'help.encoder'],
    ['trailing...', 'trailing.encoder'],
    ['', 'model.encoder'],
    ['CON', 'model-CON.encoder'],
    ['nul.v2', 'model-nul.v2.encoder'],
    ['.lpt1', 'model-lpt1.encoder'],
    [`com1${'.'.repeat(300)}x`, `model-com1.encoder`],
    ['console', 'console.encoder'],
  ])('%j is written to %s', (name, expected) => {
    expect(defaultOutputName(name, '')).toBe(expected);
  });

  test('the platform suffix is at the end of the file name', () => {
    expect(defaultOutputName('sentiment', '.exe')).toBe('sentiment.encoder.exe');
  });

  test('a long name is truncated between characters', () => {
    expect(defaultOutputName('n'.repeat(200), '')).toBe(`${'n'.repeat(200)}.encoder`);
    expect(defaultOutputName('n'.repeat(256), '.exe')).toBe(`${'n'.repeat(228)}.encoder.exe`);
    // Each character has four bytes; cutting inside one would leave an unpaired surrogate.
    expect(defaultOutputName('𐐷'.repeat(200), '.exe')).toBe(`${'𐐷'.repeat(57)}.encoder.exe`);
  });

  test('any model name results in a file name that is valid on every file system', () => {
    const alphabet = [
      'a',
      'B',
      '7',
      '.',
      '-',
      '_',
      '/',
      '\\',
      ' ',
      '~',
      '🤗',
      'я',
      '語',
      '𐐷',
      '\u0301',
      'CON',
      'nul',
      '..',
      '"',
    ];
    const next = numbers(20_261_121);
    for (let round = 0; round < 2000; round += 1) {
      const length = next() % (round % 10 === 0 ? 256 : 12);
      const name = Array.from({ length }, () => alphabet[next() % alphabet.length]).join('');
      const file = defaultOutputName(name, '.exe');
      expect(Buffer.byteLength(file)).toBeLessThanOrEqual(240);
      expect(file).toMatch(/^[\p{L}\p{Nd}_][\p{L}\p{M}\p{Nd}._-]*\.encoder\.exe$/u);
      expect(file).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\.|--/i);
      expect(defaultOutputName(name, '.exe')).toBe(file);
    }
  });
});

/** The same pseudorandom numbers in every run, so that a failure can be reproduced. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
