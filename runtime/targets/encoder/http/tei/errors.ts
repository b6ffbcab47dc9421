import { Type } from 'typebox';
import type { AppError } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import { oneOf } from '#serve/http/schemas.ts';

const TYPES = ['Unhealthy', 'Backend', 'Overloaded', 'Validation', 'Tokenizer', 'Empty'] as const;

/** Routes that only text-embeddings-inference has, and whose errors have its format. */
export const TEI_PATHS: readonly string[] = ['/embed', '/embed_all', '/embed_sparse', '/similarity', '/info'];

/** An error in the format of text-embeddings-inference. */
export const teiErrorBody = ({ message }: AppError, status: number): object => ({
  error: message,
  error_type: typeOf(status),
});

export const TEI_ERRORS: readonly ErrorFormat[] = TEI_PATHS.map((prefix) => ({ prefix, body: teiErrorBody }));

export const TEI_ERROR = Type.Object({ error: Type.String(), error_type: oneOf(TYPES) }, { $id: 'TeiError' });

function typeOf(status: number): (typeof TYPES)[number] {
  if (status === 429) return 'Overloaded';
  if (status === 503) return 'Unhealthy';
  return status < 500 ? 'Validation' : 'Backend';
}
