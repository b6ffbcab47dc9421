import type { Json } from '../shapes/chat.ts';
import type { EmbeddingsCall } from './provider.ts';

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
