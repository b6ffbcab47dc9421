import { AppError } from '#contract/errors.ts';
import { type BodyOptions, type BodyReader, createBodyReader } from '#serve/http/body.ts';

/**
 * Reads bodies of datasets, experiments, workflows and jobs as the reference implementation does: JSON without a content type is
 * accepted, and a body that is not JSON does not match the schema.
 */
export function createLabBodyReader(options: BodyOptions): BodyReader {
  const read = createBodyReader({ ...options, anyJsonType: true });
  return async (c, schema) => {
    try {
      return await read(c, schema);
    } catch (error) {
      throw error instanceof AppError && NOT_JSON.has(error.code) ? asInputError(error) : error;
    }
  };
}

const NOT_JSON: ReadonlySet<string> = new Set(['MalformedError', 'UnsupportedMediaError']);

const asInputError = (error: AppError): AppError =>
  new AppError('InputError', error.message, {
    details: error.details ?? [{ location: 'body', message: error.message }],
    cause: error,
  });
