import type { SentenceSettings } from '#contract/sentence.ts';

/** The uses of a text in Cohere's API. */
export const INPUT_TYPES = ['search_query', 'search_document', 'classification', 'clustering'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** Names that models use for the prompt of each use, in lowercase, best first. */
const PROMPTS_FOR: Record<InputType, readonly string[]> = {
  search_query: ['search_query', 'query', 'retrieval.query', 'web_search_query'],
  search_document: ['search_document', 'document', 'passage', 'retrieval.passage'],
  classification: ['classification'],
  clustering: ['clustering', 'separation'],
};

/**
 * The name of the model's prompt for a use. Without such a prompt, search texts have no prompt,
 * because the default prompt can be the prompt for the other side of a search. Other uses then have
 * the default prompt.
 */
export function promptFor(
  sentence: Pick<SentenceSettings, 'prompts'> | undefined,
  use: InputType,
): string | undefined {
  const names = Object.keys(sentence?.prompts ?? {});
  const found = PROMPTS_FOR[use].flatMap((wanted) => names.filter((name) => name.toLowerCase() === wanted));
  return found[0] ?? (use.startsWith('search_') ? '' : undefined);
}
