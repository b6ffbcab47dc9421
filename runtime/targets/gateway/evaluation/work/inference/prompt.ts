import { inputError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { EXAMPLES, GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { BackendMessage } from '../backends/backend.ts';
import { cellText } from '../evaluation/read-cells.ts';
import type { InferenceSpec } from '../work.ts';

type Prompt = Pick<InferenceSpec, 'systemPrompt' | 'prompt' | 'fewShot'>;

/** A row's message if there is no template. */
const DEFAULT_TEMPLATE = `{{${EXAMPLES}}}`;
const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

/** A row's messages: the system prompt, the examples with their responses, and the row. */
export const messagesFor = (row: RowCells, prompt: Prompt): BackendMessage[] => [
  ...openingMessages(prompt),
  { role: 'user', content: userText(row, prompt) },
];

/** The messages before each row: the system prompt, and the examples with their responses. */
export const openingMessages = ({ systemPrompt, prompt, fewShot = [] }: Prompt): BackendMessage[] => [
  ...(systemPrompt === '' ? [] : [{ role: 'system', content: systemPrompt } as const]),
  ...fewShot.flatMap((example) => [
    { role: 'user', content: userText(example, { prompt }) } as const,
    { role: 'assistant', content: cellText(example[GROUND_TRUTH]) } as const,
  ]),
];

/** A row's message: the template with the row's columns. */
export const userText = (row: RowCells, { prompt = DEFAULT_TEMPLATE }: Pick<Prompt, 'prompt'>): string =>
  prompt.replaceAll(PLACEHOLDER, (_match, column: string) => cellText(row[column.trim()]));

/** Throws an InputError for a template with a column that the dataset lacks, or with the ground truth. */
export function checkTemplate({ prompt }: Prompt, columns: readonly string[]): void {
  if (prompt === undefined) return;
  const used = columnsIn(prompt);
  const missing = used.find((name) => !columns.includes(name));
  if (used.includes(GROUND_TRUTH)) {
    throw inputError(
      `The prompt contains {{${GROUND_TRUTH}}}, which would show the model the answer. Remove it.`,
    );
  }
  if (missing !== undefined) {
    throw inputError(
      `The prompt contains {{${missing}}}, but the dataset has no such column${didYouMean(missing, columns) || '.'} Columns: ${columns.join(', ')}.`,
    );
  }
  if (used.length === 0) {
    throw inputError(
      `The prompt contains no column, so it would be the same for all rows. Add a column, e.g. {{${EXAMPLES}}}.`,
    );
  }
}

/** Throws an InputError for an example without a response, or without a column that the template uses. */
export function checkFewShot({ prompt = DEFAULT_TEMPLATE, fewShot = [] }: Prompt): void {
  for (const [at, example] of fewShot.entries()) {
    const missing = [...columnsIn(prompt), GROUND_TRUTH].find((name) => cellText(example[name]) === '');
    if (missing !== undefined) {
      throw inputError(
        `Example ${at + 1} has no \`${missing}\`. Each example must contain the columns used in the prompt and \`${GROUND_TRUTH}\`.`,
      );
    }
  }
}

const columnsIn = (template: string): string[] =>
  Array.from(template.matchAll(PLACEHOLDER), ([, name = '']) => name.trim());
