import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { EXAMPLES, GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import type { BackendMessage } from '../backends/backend.ts';
import { CONVERSATION_COLUMNS } from '../conversations/conversation.ts';
import { cellJson, cellText } from '../evaluation/read-cells.ts';
import type { GenerationConfig, InferenceSpec } from '../work.ts';

type Prompt = Pick<InferenceSpec, 'systemPrompt' | 'prompt' | 'fewShot'>;
type GenerationSpec = Pick<InferenceSpec, 'generation' | 'prompt'>;

/** A row's message if there is no template. */
const DEFAULT_TEMPLATE = `{{${EXAMPLES}}}`;
const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

/**
 * A row's messages: the system prompt, the examples with their responses, and the row. If the row contains a
 * conversation and there is no template, the conversation is sent instead of the row's text, and a system
 * prompt replaces its own.
 */
export function messagesFor(row: RowCells, prompt: Prompt): readonly (BackendMessage | Json)[] {
  const conversation = prompt.prompt === undefined ? conversationOf(row) : undefined;
  if (!conversation) return [...openingMessages(prompt), { role: 'user', content: userText(row, prompt) }];
  const { systemPrompt } = prompt;
  return systemPrompt === ''
    ? conversation
    : [{ role: 'system', content: systemPrompt }, ...conversation.filter((one) => !isInstruction(one))];
}

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

const isInstruction = ({ role }: Json): boolean => role === 'system' || role === 'developer';

/** A row's conversation; undefined if it has none. */
function conversationOf(row: RowCells): readonly Json[] | undefined {
  const messages = cellJson(row[CONVERSATION_COLUMNS.messages]);
  const isConversation = Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);
  return isConversation ? messages : undefined;
}

const isMessage = (one: unknown): one is Json => isObject(one) && typeof one['role'] === 'string';

/** The parameters for a row, with the tools of its conversation unless the workflow sets its own. */
export function generationFor(row: RowCells, { generation, prompt }: GenerationSpec): GenerationConfig {
  if (generation.tools !== undefined || prompt !== undefined || !conversationOf(row)) return generation;
  const tools = cellJson(row[CONVERSATION_COLUMNS.tools]);
  const areTools = Array.isArray(tools) && tools.length > 0 && tools.every((one) => isObject(one));
  return areTools ? { ...generation, tools } : generation;
}

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
