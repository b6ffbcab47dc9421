import { inputError } from '#contract/errors.ts';
import type { Json } from '../shapes/chat.ts';
import type { EmbeddingsCall } from './provider.ts';

/** The texts of a request for embeddings. Throws an InputError for token ids, which only OpenAI's models take. */
export function embeddedTexts(input: unknown, provider: string): readonly string[] {
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.every((text) => typeof text === 'string')) return input;
  throw inputError(`${provider} embeds text only: \`input\` must be text or a list of texts.`);
}

/** An answer to `/v1/embeddings` with these vectors. */
export const vectorsAnswer = (
  vectors: readonly (readonly number[])[],
  { body, model, showModel }: EmbeddingsCall,
  promptTokens: number,
): Json => ({
  object: 'list',
  data: vectors.map((values, index) => ({
    object: 'embedding',
    index,
    embedding: body['encoding_format'] === 'base64' ? toBase64(values) : values,
  })),
  model: showModel ?? model,
  usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
});

/** Encodes a vector as OpenAI's API does: float32, little endian, in base64. */
function toBase64(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}
