import type { AppError } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import { OPENAI_ERRORS } from '#serve/http/openai-error.ts';
import type { Content } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { Type } from 'typebox';
import { cohereError } from '../schemas/cohere.ts';
import { TEI_ERROR, TEI_ERRORS, TEI_PATHS, teiErrorBody } from './tei/errors.ts';

const cohereErrorBody = ({ message }: AppError): object => ({ message });

/** Error formats of the APIs of others; all other routes have plain text. */
export const ERROR_FORMATS: readonly ErrorFormat[] = [
  OPENAI_ERRORS,
  { prefix: '/v2', body: cohereErrorBody },
  ...TEI_ERRORS,
];

/** The same for the OpenAPI document, except for OpenAI's format. */
export function errorContent(error: AppError, status: ErrorStatus, path: string): Content {
  if (path.startsWith('/v2/')) return { schema: cohereError, examples: { error: cohereErrorBody(error) } };
  if (TEI_PATHS.includes(path))
    return { schema: TEI_ERROR, examples: { error: teiErrorBody(error, status) } };
  return { mediaType: 'text/plain', schema: Type.String(), examples: { error: error.message } };
}
