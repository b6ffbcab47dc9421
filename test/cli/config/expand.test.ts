import { describe, expect, test } from 'vitest';
import { expandPath, expansionProblems, literalPath } from '#cli/config/expand.ts';

const ENV = { HOME: '/home/ada', A: 'x', TILDE: '~', NESTED: '${A}', EMPTY: '' };

describe('expandPath', () => {
  test.each([
    ['./model', './model'],
    ['~', '/home/ada'],
    ['~/m', '/home/ada/m'],
    ['~bob/m', '~bob/m'],
    ['a/~/b', 'a/~/b'],
    ['${A}/${A}', 'x/x'],
    ['$A', '$A'],
    ['a$$b$', 'a$$b$'],
    ['${NONE:-else}/m', 'else/m'],
    ['${EMPTY:-else}', 'else'],
    ['${A:-else}', 'x'],
    ['$${NONE:-else}', '${NONE:-else}'],
    ['${NONE:-~}/m', '~/m'],
    ['$${A}', '${A}'],
    ['${TILDE}/m', '~/m'],
    ['${NESTED}', '${A}'],
  ])('%s becomes %s', (text, expected) => {
    expect(expansionProblems(text, ENV)).toEqual([]);
    expect(expandPath(text, ENV)).toBe(expected);
  });

  test('~ expands to the home folder on Windows', () => {
    expect(expandPath('~\\m', { USERPROFILE: 'C:\\Users\\ada' })).toBe('C:\\Users\\ada\\m');
  });

  test('all problems in a path are reported together', () => {
    const escape = 'Write $${ for a literal ${.';
    expect(expansionProblems('~/${NO}/${toString}/${a b}/${A', {})).toEqual([
      `the variable NO is not set. Set it, or write \${NO:-default}. ${escape}`,
      `the variable toString is not set. Set it, or write \${toString:-default}. ${escape}`,
      `"\${a b}" is not a variable reference. Write \${NAME} or \${NAME:-default}. ${escape}`,
      `\${ is not closed with }. ${escape}`,
      '`~` cannot be expanded: HOME is not set',
    ]);
  });
});

describe('literalPath', () => {
  test.each(['./model', '~', '~/m', '~m', '${A}', '$${A}', '$$${A', '$', '${'])(
    'expansion leaves %s unchanged',
    (path) => {
      const written = literalPath(path);
      expect(expansionProblems(written, ENV)).toEqual([]);
      expect(expandPath(written, ENV).replace(/^\.\/(?=~)/, '')).toBe(path);
    },
  );
});
