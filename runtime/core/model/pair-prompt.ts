import { inputError } from '#contract/errors.ts';
import type { PairPrompt } from '#contract/pair-prompt.ts';
import type { TextInput } from './tokenized-text.ts';
import { checkFreeText } from './vector-plan.ts';

const PLACE = /\{(query|document|instruction)\}/g;

interface PairValues {
  readonly query: string;
  readonly document: string;
  readonly instruction?: string | undefined;
}

/**
 * Writes a query and a document into the model's prompt. All places are filled in one pass, so that
 * a query that contains `{document}` remains unchanged.
 */
export function joinPair(prompt: PairPrompt, values: PairValues): TextInput {
  const { first, instructed = first, second } = prompt;
  const fill = (template: string): string =>
    template.replaceAll(PLACE, (_, name: keyof PairValues) => values[name] ?? '');
  return {
    text: fill(values.instruction === undefined ? first : instructed),
    ...(second === undefined ? {} : { pair: fill(second) }),
  };
}

/**
 * Checks the instruction of a request; undefined and null mean the one in the model's prompt.
 * Rejects it if the model's prompt has no place for an instruction.
 */
export function planInstruction(
  prompt: PairPrompt | undefined,
  instruction: string | null | undefined,
): string | undefined {
  if (typeof instruction !== 'string') return undefined;
  checkFreeText('instruction', instruction);
  if (instruction.trim() === '') throw inputError('instruction must not be empty');
  if (prompt?.instructed !== undefined) return instruction;
  throw inputError(
    'instruction requires a reranker whose prompt contains an instruction, such as Qwen3-Reranker, which this model is not. Remove it.',
  );
}
