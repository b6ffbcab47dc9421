import { inputError, messageOf } from '#contract/errors.ts';
import { lookup } from '#core/values/lookup.ts';
import { compileLinearPattern, isFoundIn } from '#platform/linear-pattern.ts';
import { choiceCheck } from './choice.ts';
import type { AnswerCheck } from './conversation.ts';
import { instructionCheck } from './instructions.ts';
import { listIn, objectIn, shown, textIn } from './read-members.ts';
import { readRowSchema } from './row-schema.ts';

const MAX_CHECKS = 50;
const MAX_PATTERN_LENGTH = 1000;

type ReadCheck = (value: unknown, name: string) => AnswerCheck;

const textCheck =
  (holds: (answer: string, text: string) => boolean): ReadCheck =>
  (value, name) => {
    const text = textIn(value, name);
    return (answer) => holds(answer, text);
  };

/** Conditions for a response. Texts are compared without regard to case and surrounding spaces. */
const CHECKS = lookup<ReadCheck>({
  equals: textCheck((answer, text) => folded(answer) === folded(text)),
  contains: textCheck((answer, text) => folded(answer).includes(folded(text))),
  not_contains: textCheck((answer, text) => !folded(answer).includes(folded(text))),
  regex: (value, name) => patternCheck(value, name),
  not_regex(value, name) {
    const isFound = patternCheck(value, name);
    return (answer) => !isFound(answer);
  },
  json_schema: readRowSchema,
  number(value, name) {
    if (typeof value !== 'number') throw inputError(`\`${name}\` must be a number, not ${shown(value)}.`);
    return (answer) => Math.abs((finalNumber(answer) ?? Number.NaN) - value) < MAX_ERROR;
  },
  choice: choiceCheck,
  instruction: instructionCheck,
});

const folded = (text: string): string => text.trim().toLowerCase();

/** Reads a list of conditions such as `[{"contains": "Paris"}]`. Throws an InputError. */
export const readChecks = (value: unknown): readonly AnswerCheck[] =>
  listIn(value, 'checks', MAX_CHECKS).map((entry) => {
    const members = Object.entries(objectIn(entry, 'checks'));
    const [name = '', condition] = members[0] ?? [];
    const read = CHECKS[name];
    if (members.length !== 1 || !read) {
      throw inputError(
        `Each entry of \`checks\` must have exactly one of ${Object.keys(CHECKS).join(', ')}, not ${shown(entry)}.`,
      );
    }
    return read(condition, `checks.${name}`);
  });

function patternCheck(value: unknown, name: string): AnswerCheck {
  const source = textIn(value, name);
  if (source.length > MAX_PATTERN_LENGTH) {
    throw inputError(`\`${name}\` has ${source.length} characters; the maximum is ${MAX_PATTERN_LENGTH}.`);
  }
  try {
    const pattern = compileLinearPattern(source);
    return (answer) => isFoundIn(pattern, answer);
  } catch (error) {
    throw inputError(`\`${name}\` is invalid: ${messageOf(error)}`, error);
  }
}

/** Numbers that differ by less are equal. */
const MAX_ERROR = 1e-6;

/**
 * The number after `####`, which marks a final answer in GSM8K, or the last number in a text. Thousands separators are
 * removed. Undefined if there is none.
 *
 * @internal Exported for tests only.
 */
export function finalNumber(text: string): number | undefined {
  const marked = /####\s*(-?[0-9,]+(?:\.[0-9]+)?)/.exec(text)?.[1];
  const found = marked ?? text.match(/-?[0-9][0-9,]*(?:\.[0-9]+)?/g)?.at(-1);
  return found === undefined ? undefined : Number(found.replaceAll(',', ''));
}
