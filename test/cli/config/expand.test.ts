import { describe, expect, test } from 'vitest';
import { expand, expansionProblems, literalPath } from '../../../cli/config/expand.ts';

const ENV = { HOME: '/home/ada', A: 'x', TILDE: '~', NESTED: '${A}' };

describe('expand', () => {
  test.each([
    ['./model', './model'],
    ['~', '/home/ada'],
    ['~/m', '/home/ada/m'],
    ['~bob/m', '~bob/m'],
    ['a/~/b', 'a/~/b'],
    ['${A}/${A}', 'x/x'],
    ['$A', '$A'],
    ['$${A}', '${A}'],
    ['${TILDE}/m', '~/m'],
    ['${NESTED}', '${A}'],
  ])('%s becomes %s', (text, expected) => {
    expect(expansionProblems(text, ENV)).toEqual([]);
    expect(expand(text, ENV)).toBe(expected);
  });

  test('the home folder of Windows', () => {
    expect(expand('~\\m', { USERPROFILE: 'C:\\Users\\ada' })).toBe('C:\\Users\\ada\\m');
  });

  test('every problem is named', () => {
    expect(expansionProblems('~/${NO}/${toString}/${a b}/${A', {})).toEqual([
      'the environment variable `NO` is not set',
      'the environment variable `toString` is not set',
      '`${a b}` is not a variable; write ${NAME}, or $${ for a literal ${',
      '`${A` is not closed; write $${ for a literal ${',
      '`~` cannot be expanded: HOME is not set',
    ]);
  });
});

describe('literalPath', () => {
  test.each(['./model', '~', '~/m', '~m', '${A}', '$${A}', '$$${A', '$', '${'])(
    '%s survives expansion',
    (path) => {
      const written = literalPath(path);
      expect(expansionProblems(written, ENV)).toEqual([]);
      expect(expand(written, ENV).replace(/^\.\/(?=~)/, '')).toBe(path);
    },
  );
});
