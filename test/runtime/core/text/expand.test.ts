import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeDollars, expand } from '#core/text/expand.ts';

const ENV = { WORD: 'value', EMPTY: '', TWICE: '$WORD', _x1: 'under' };

test.each([
  ['a $WORD b', 'a value b'],
  ['${WORD}s', 'values'],
  ['$_x1', 'under'],
  ['${NONE:-else}', 'else'],
  ['${EMPTY:-else}', 'else'],
  ['${WORD:-else}', 'value'],
  ['${NONE:-}', ''],
  ['[$EMPTY]', '[]'],
  ['$TWICE', '$WORD'],
  ['${NONE:-$WORD}', '$WORD'],
  ['$(WORD)', '$(WORD)'],
  ['100$', '100$'],
  ['$5', '$5'],
])('%s becomes %s', (text, expected) => {
  expect(expand(text, ENV)).toMatchObject({ text: expected, problems: [] });
});

test('two dollar signs become one', () => {
  expect(expand('pa$$word $$WORD $$$WORD', ENV).text).toBe('pa$word $WORD $value');
});

test.each([
  ['a variable that is not set', '$NONE', 'the variable NONE is not set.'],
  ['a property name of Object', '$toString', 'the variable toString is not set.'],
  ['an unclosed brace', 'a ${WORD', '${ is not closed with }.'],
  ['an invalid name', '${a b}', '"${a b}" is not a variable reference.'],
  ['an empty name', '${}', '"${}" is not a variable reference.'],
])('the error for %s suggests a fix', (_, text, message) => {
  const { problems } = expand(text, ENV);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
  expect(problems[0]).toContain('Write $$ for a literal dollar sign.');
});

test('escaping and expanding returns any text unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', ' ') }), (text) => {
      expect(expand(escapeDollars(text), ENV)).toEqual({ text, used: [], problems: [] });
    }),
    { numRuns: 500 },
  );
});

test('any text is expanded without an exception', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('$', '{', '}', 'W', ':', '-') })),
      (text) => {
        expect(typeof expand(text, ENV).text).toBe('string');
      },
    ),
    { numRuns: 500 },
  );
});
