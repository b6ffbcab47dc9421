import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { lookup } from '#core/values/lookup.ts';
import type { DatasetCell, RowCells } from '../dataset.ts';
import type { BenchmarkFormat } from './benchmarks.ts';

type Members = Readonly<Record<string, unknown>>;

/** Converts a benchmark's rows, and the rows with the expected calls, to conversations with expectations. */
export const CONVERTERS: Readonly<
  Record<BenchmarkFormat, (rows: readonly Members[], answers: readonly Members[]) => readonly RowCells[]>
> = {
  bfcl: bfclRows,
  instructions: (rows) => rows.flatMap(instructionRow),
  math: (rows) => rows.map(mathRow),
  choices: (rows) => rows.map(choiceRow),
};

/** Names of types in BFCL that JSON Schema does not have. */
const JSON_TYPES = lookup<string>({ dict: 'object', float: 'number', tuple: 'array', any: 'string' });

function bfclRows(rows: readonly Members[], answers: readonly Members[]): readonly RowCells[] {
  const expected = new Map(answers.map((answer) => [answer['id'], answer['ground_truth']]));
  return rows.map(({ id, question, function: functions }) => {
    const [messages] = Array.isArray(question) ? question : [];
    const list = (Array.isArray(functions) ? functions : []).map(membersOf);
    const calls = listOf(expected.get(id)).flatMap((call) =>
      Object.entries(membersOf(call)).map(([name, options]) => expectedCall(name, membersOf(options), list)),
    );
    return {
      id: cell(id),
      messages: cell(messages),
      tools: cell(
        list.map((one) => ({
          ...one,
          name: toolName(one['name']),
          parameters: jsonSchema(one['parameters']),
        })),
      ),
      expected_calls: cell(calls),
      call_order: 'unordered',
    };
  });
}

/** Providers only accept letters, digits, `_` and `-` in names. */
const toolName = (name: unknown): string => textOf(name).replaceAll('.', '_');

/**
 * A required argument cannot be omitted, even if its accepted values contain an empty string. An optional one that the
 * function does not have is not accepted.
 */
function expectedCall(name: string, options: Members, functions: readonly Members[]): Members {
  const parameters = membersOf(functions.find((one) => one['name'] === name)?.['parameters']);
  const [required, known] = [listOf(parameters['required']), membersOf(parameters['properties'])];
  const accepted = Object.entries(options).flatMap(([argument, values]) => {
    if (required.includes(argument)) return [[argument, listOf(values).filter((value) => value !== '')]];
    const isUnknown = !Object.hasOwn(known, argument) && listOf(values).includes('');
    return isUnknown ? [] : [[argument, values]];
  });
  return {
    name: toolName(name),
    match: 'options',
    arguments: Object.fromEntries(accepted) as Members,
  };
}

/** Replaces the names of types, in nested schemas too. The data is verified, so its depth is known. */
function jsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonSchema);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'type' && typeof member === 'string' ? (JSON_TYPES[member] ?? member) : jsonSchema(member),
    ]),
  );
}

/** Instructions that need no language data, such as lists of names or of parts of speech. */
const INSTRUCTIONS: ReadonlySet<unknown> = new Set([
  'count:keywords_multiple',
  'count:numbers',
  'count:punctuation',
  'count:word_count_range',
  'format:newline',
  'format:no_whitespace',
  'format:parentheses',
  'format:quotes',
  'format:sub-bullets',
  'words:alphabet',
  'words:consonants',
  'words:no_consecutive',
  'words:palindrome',
  'words:paragraph_last_first',
  'words:prime_lengths',
  'words:repeats',
  'words:vowel',
]);

/** Rows with other instructions are left out. */
function instructionRow({ key, prompt, instruction_id_list: ids, kwargs }: Members): readonly RowCells[] {
  const list = listOf(ids);
  if (!list.every((id) => INSTRUCTIONS.has(id))) return [];
  const checks = list.map((id, at) => {
    const settings = Object.entries(membersOf(listOf(kwargs)[at])).filter(([, value]) => value !== null);
    return { instruction: { id, ...Object.fromEntries(settings) } };
  });
  return [{ id: cell(key), examples: cell(prompt), checks: cell(checks) }];
}

const mathRow = ({ id, prompt, expected }: Members): RowCells => ({
  id: cell(id),
  examples: cell(prompt),
  checks: [{ number: Number(expected) }],
});

function choiceRow({ id, question, choices, ctx, endings, expected_index: right }: Members): RowCells {
  const list = listOf(choices ?? endings);
  const letters = list.map((_choice, at) => letterAt(at));
  const asked = question === undefined ? `Which ending fits best?\n\n${textOf(ctx)}` : textOf(question);
  const options = list.map((choice, at) => `${letters[at]}. ${textOf(choice)}`).join('\n');
  return {
    id: cell(id),
    examples: `${asked}\n\n${options}\n\nAnswer with the letter of the right choice only.`,
    checks: [{ choice: { answer: letterAt(Number(right)), choices: list.length } }],
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const letterAt = (position: number): string => String.fromCodePoint(65 + position);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const cell = (value: unknown): DatasetCell => (value ?? null) as DatasetCell;
