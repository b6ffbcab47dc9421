import { inputError } from '#contract/errors.ts';
import { checkNormalized, formNamed } from '#core/vectors/vector-types.ts';
import type { VectorFormat } from '../json/vector-writer.ts';
import type { EmbeddingsRequest } from '../schemas/openai.ts';

type FormWishes = Pick<EmbeddingsRequest, 'encoding_format' | 'output_dtype' | 'embedding_type'>;

/**
 * The form of the vectors in a response of `/v1/embeddings`: the encoding of OpenAI, with the types
 * of Voyage and Jina.
 */
export function vectorFormat(
  { encoding_format: encoding, output_dtype: type, embedding_type: name }: FormWishes,
  normalize: boolean,
): VectorFormat {
  if (!type && !name) return encoding === 'base64' ? 'base64' : 'json';
  const form = formNamed(name ?? type ?? 'float');
  if (type && type !== form.type) {
    throw inputError(
      `embedding_type ${name} and output_dtype ${type} are different types. Remove one of them.`,
    );
  }
  checkNormalized([form.type], normalize);
  const format = encoding === 'base64' ? 'base64' : form.format;
  return form.type === 'float' ? format : [{ type: form.type, format }];
}

interface DimensionWishes {
  readonly dimensions?: number | null | undefined;
  readonly output_dimension?: number | null | undefined;
}

/** The number of dimensions under the name of OpenAI or the name of Voyage. */
export function dimensionsOf({ dimensions, output_dimension: other }: DimensionWishes): number | undefined {
  if (dimensions && other && dimensions !== other) {
    throw inputError(
      `dimensions ${dimensions} and output_dimension ${other} are different numbers. Remove one of them.`,
    );
  }
  return dimensions ?? other ?? undefined;
}
