import {
  EMBEDDING_OUTPUTS,
  type EmbeddingOutput,
  type TokenOutputName,
} from '#contract/embedding-outputs.ts';
import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { isOneOf } from '../values/is-one-of.ts';

/**
 * Validates a request's `outputs`. Returns undefined if the request does not set it, so that
 * results only contain dense vectors.
 */
export function planOutputs(
  { name, sentence, tokenOutputs }: Pick<Manifest, 'name' | 'sentence' | 'tokenOutputs'>,
  outputs: readonly string[] | null | undefined,
  label = 'outputs',
): EmbeddingOutput[] | undefined {
  if (!outputs || outputs.length === 0) return undefined;
  const known = outputs.filter((output) => isOneOf(EMBEDDING_OUTPUTS, output));
  if (known.length < outputs.length) {
    const wrong = outputs.find((output) => !isOneOf(EMBEDDING_OUTPUTS, output)) ?? '';
    throw inputError(
      `${label} must contain only ${EMBEDDING_OUTPUTS.join(', ')}, not ${JSON.stringify(wrong.slice(0, 100))}`,
    );
  }
  if (tokenOutputs || known.every((output) => output === 'dense')) return known;
  const what = sentence?.table ? 'a static model' : name;
  throw inputError(
    `${label} can only be dense, because ${what} has no sparse and multi-vector outputs. Use a model with both, such as BAAI/bge-m3.`,
  );
}

/** The outputs with one row per token. */
export const tokenOutputsAmong = (outputs: readonly EmbeddingOutput[] = []): TokenOutputName[] =>
  outputs.filter((output) => output !== 'dense');
