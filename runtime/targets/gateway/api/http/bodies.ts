import type { Context } from 'hono';
import { AppError, messageOf } from '#contract/errors.ts';
import { waitFor } from '#platform/wait-for.ts';
import {
  type BodyOptions,
  type BodyReader,
  createBodyReader,
  bodyTimeoutError,
  tooLargeError,
  truncatedBodyError,
  holdOf,
} from '#serve/http/body.ts';
import { type BodyGrowth, bodyDecoder } from '#serve/http/decode-body.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { type Form, readForm } from '#serve/http/form.ts';
import { boundaryOf } from '#serve/http/multipart.ts';

/**
 * Reads request bodies for datasets, experiments, workflows and jobs in the same way as the reference
 * implementation: JSON without a content type is accepted, and a body that is not JSON gets the same error
 * as one that does not match the schema.
 */
export function createEvaluationBodyReader(options: BodyOptions): BodyReader {
  const read = createBodyReader({ ...options, anyJsonType: true });
  return async (c, schema) => {
    try {
      return await read(c, schema);
    } catch (error) {
      throw error instanceof AppError && NOT_JSON.has(error.code) ? asInputError(error) : error;
    }
  };
}

/** The error statuses for these bodies. */
export const EVALUATION_BODY_ERRORS: readonly ErrorStatus[] = [408, 413, 422];

const NOT_JSON: ReadonlySet<string> = new Set(['MalformedError', 'UnsupportedMediaError']);

const asInputError = (error: AppError): AppError =>
  new AppError('InputError', error.message, {
    details: error.details ?? [{ location: 'body', message: error.message }],
    cause: error,
  });

type FormLimits = Pick<BodyOptions, 'maxBodyBytes' | 'timeoutMs' | 'tooLargeMessage'>;

/** Reads a form request with files. The bytes are kept in memory only once. */
export async function readUploadForm(
  c: Context,
  { maxBodyBytes, timeoutMs, tooLargeMessage }: FormLimits,
): Promise<Form> {
  const type = c.req.header('Content-Type');
  const boundary = boundaryOf(type);
  if (boundary === undefined) {
    const found = type === undefined ? 'none' : JSON.stringify(type.slice(0, 100));
    throw new AppError(
      'UnsupportedMediaError',
      `Unsupported content type: found ${found}. Send a form (multipart/form-data).`,
    );
  }
  if (bodyDecoder(c.req.header('Content-Encoding')))
    throw new AppError(
      'UnsupportedMediaError',
      'Forms cannot be compressed. Send them without Content-Encoding.',
    );
  const tooLarge = (): AppError => tooLargeError(maxBodyBytes, tooLargeMessage);
  if (Number(c.req.header('Content-Length') ?? 0) > maxBodyBytes) throw tooLarge();
  const reading = readForm(
    counted(c.req.raw.body, { limit: maxBodyBytes, tooLarge, hold: holdOf(c) }),
    boundary,
  );
  return await (timeoutMs === undefined ? reading : waitFor(reading, { timeoutMs, late: bodyTimeoutError }));
}

async function* counted(
  body: ReadableStream<Uint8Array> | null,
  { limit, tooLarge, hold }: BodyGrowth,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  let bytes = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw truncatedBodyError(messageOf(error));
      });
      if (done) return;
      bytes += value.length;
      if (bytes > limit) throw tooLarge();
      hold.take(value.length);
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
