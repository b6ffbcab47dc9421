import { inputError } from '#contract/errors.ts';
import { startOfText } from '#core/text/code-points.ts';
import type { ServingEngine, TruncationSide } from '../engine/serving.ts';

interface ShortenOptions {
  /** Maximum number of tokens, not counting special tokens. Default: no maximum. */
  readonly maxTokens: number | null | undefined;
  /** The side from which tokens are removed; `error` rejects longer texts. */
  readonly side: TruncationSide | 'error';
  /** The name of the list of texts in the request, for messages. */
  readonly place: string;
}

/** Shortens texts to the number of tokens that a client has set. */
export async function shortenTexts(
  { manifest, tokenize }: Pick<ServingEngine, 'manifest' | 'tokenize'>,
  texts: readonly string[],
  { maxTokens, side, place }: ShortenOptions,
): Promise<readonly string[]> {
  // Without windows, the model does not process more tokens than its maximum in any case.
  if (!maxTokens || (!manifest.windows && maxTokens >= manifest.tokenizer.maxLength)) return texts;
  const tokenized = await tokenize(texts, false, side === 'left' ? 'left' : 'right');
  return texts.map((text, index) => {
    const { ids, details } = tokenized[index] ?? {};
    if (!ids || !details || ids.length <= maxTokens) return text;
    if (side === 'error') {
      throw inputError(
        `${place}/${index} has more than ${maxTokens} tokens, the max_tokens of the request. Shorten it, or set truncate to START or END.`,
      );
    }
    if (side !== 'left') return startOfText(text, details.offsets[maxTokens * 2 - 1] ?? 0);
    return text.slice(startOfText(text, details.offsets[(ids.length - maxTokens) * 2] ?? 0).length);
  });
}
