import type { AppError } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import { OPENAI_ERRORS } from '#serve/http/openai-error.ts';
import type { Content } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { Type } from 'typebox';
import { cohereError } from '../schemas/cohere.ts';
import { oneOf } from '#serve/http/schemas.ts';

const TYPES = ['Unhealthy', 'Backend', 'Overloaded', 'Validation', 'Tokenizer', 'Empty'] as const;

/** Routes that exist for compatibility with text-embeddings-inference. Their errors have its format. */
const TEI_PATHS: readonly string[] = ['/embed', '/embed_all', '/embed_sparse', '/similarity', '/info'];

/** Formats an error as text-embeddings-inference does. */
const teiErrorBody = ({ message }: AppError, status: number): object => ({
  error: message,
  error_type: typeOf(status),
});

const TEI_ERRORS: readonly ErrorFormat[] = TEI_PATHS.map((prefix) => ({ prefix, body: teiErrorBody }));

const TEI_ERROR = Type.Object({ error: Type.String(), error_type: oneOf(TYPES) }, { $id: 'TeiError' });

function typeOf(status: number): (typeof TYPES)[number] {
  if (status === 429) return 'Overloaded';
  if (status === 503) return 'Unhealthy';
  return status < 500 ? 'Validation' : 'Backend';
}

const cohereErrorBody = ({ message }: AppError): object => ({ message });

/** Error formats of third-party APIs; errors on all other routes are plain text. */
export const ERROR_FORMATS: readonly ErrorFormat[] = [
  OPENAI_ERRORS,
  { prefix: '/v2', body: cohereErrorBody },
  ...TEI_ERRORS,
];

/**
 * Describes the body of an error response for the OpenAPI document. OpenAI's format is described
 * elsewhere.
 */
export function errorContent(error: AppError, status: ErrorStatus, path: string): Content {
  if (path.startsWith('/v2/')) return { schema: cohereError, examples: { error: cohereErrorBody(error) } };
  if (TEI_PATHS.includes(path))
    return { schema: TEI_ERROR, examples: { error: teiErrorBody(error, status) } };
  return { mediaType: 'text/plain', schema: Type.String(), examples: { error: error.message } };
}
