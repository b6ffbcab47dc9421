import type { ServingEngine } from '../engine/serving.ts';

/** Truncates documents to a number of tokens, special tokens not counted, for clients that set it. */
export async function shortenDocuments(
  { manifest, tokenize }: Pick<ServingEngine, 'manifest' | 'tokenize'>,
  documents: readonly string[],
  maxTokens: number | null | undefined,
): Promise<readonly string[]> {
  // The model does not read more tokens anyway.
  if (!maxTokens || maxTokens >= manifest.tokenizer.maxLength) return documents;
  const tokenized = await tokenize(documents, false);
  return documents.map((document, index) => {
    const { ids, details } = tokenized[index] ?? {};
    if (!ids || !details || ids.length <= maxTokens) return document;
    const end = details.offsets[maxTokens * 2 - 1] ?? 0;
    return Array.from(document).slice(0, end).join('');
  });
}
