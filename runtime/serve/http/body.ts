import { Ajv, type ErrorObject } from 'ajv';
import type { Context } from 'hono';
import type { Static, TSchema } from 'typebox';
import { AppError } from '#contract/errors.ts';
import type { ByteHold } from '#core/limits/byte-budget.ts';
import type { Steps } from '#core/limits/steps.ts';
import { runFairly } from '#platform/run-yielding.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { holdOf } from '../request-memory.ts';
import { DOCUMENTED_KEYWORD } from './documented.ts';
import { explainProblems, MESSAGE_KEYWORD, problemsOf } from './explain-problems.ts';
import type { HttpExchange } from './exchange.ts';
import { type ParseOptions, parseJson, readBytes, type ReadBytesOptions } from './read-body.ts';

/** Reads the JSON body of a request and validates it against a schema. Throws an AppError that lists all problems. */
export type BodyReader = <Schema extends TSchema>(
  c: Context,
  schema: SchemaChoice<Schema>,
) => Promise<Static<Schema>>;

/** The schema of a body, or a function that selects it, for routes with several kinds of bodies. */
type SchemaChoice<Schema extends TSchema> = Schema | ((body: unknown) => Schema);

export interface BodyOptions extends ReadBytesOptions, ParseOptions {
  readonly maxBodyBytes: number;
  /** Message for an empty body, even without a content type. Default: an empty body is JSON that ends too early. */
  readonly emptyMessage?: string | undefined;
  /** Whether a body without a content type, or with one that ends in `+json`, is read as JSON. */
  readonly anyJsonType?: boolean | undefined;
  /** Value of an empty body, if the body is optional. */
  readonly emptyBody?: unknown;
}

/** Body size up to which all problems are reported; a large body could have millions, so only the first is reported. */
const SEARCHED_FOR_ALL_PROBLEMS = 16_384;

/** A request whose body has not been read. */
type RequestBody = Pick<HttpExchange, 'headers' | 'readBody' | 'hold'>;

/** Schemas are compiled once, on first use. */
export const createBodyReader = (options: BodyOptions): BodyReader =>
  bodyReaderFrom(createExchangeBodyReader(options));

/** The reader of an app that has exchanges, too, so that each schema is compiled once for both. */
export const bodyReaderFrom =
  (read: ExchangeBodyReader): BodyReader =>
  (c, schema) =>
    read(
      {
        headers: c.req.raw.headers,
        readBody: ({ maxBodyBytes, ...limits }) => readBytes(c, maxBodyBytes, limits),
        hold: () => holdOf(c),
      },
      schema,
    );

/** Reads and validates the body of an exchange. */
export type ExchangeBodyReader = <Schema extends TSchema>(
  request: RequestBody,
  schema: SchemaChoice<Schema>,
) => Promise<Static<Schema>>;

export function createExchangeBodyReader(options: BodyOptions): ExchangeBodyReader {
  const parse = createBodyParser(options);
  return async (request, schema) => {
    // Clients that send no body often send no content type.
    const canBeEmpty = options.emptyMessage !== undefined || options.emptyBody !== undefined;
    const untyped = canBeEmpty && request.headers.get('content-type') === null;
    if (!untyped) requireJson(request, options);
    const bytes = await request.readBody(options);
    if (untyped && bytes.length > 0) requireJson(request, options);
    return runFairly(parse(bytes, schema, bytes.length === 0 ? undefined : request.hold()), bytes.length);
  };
}

/** Reads the body of a request with a JSON content type, as bytes. */
export async function readJsonBytes(
  request: Pick<RequestBody, 'headers' | 'readBody'>,
  options: Pick<BodyOptions, 'maxBodyBytes' | 'timeoutMs' | 'tooLargeMessage' | 'anyJsonType'>,
): Promise<Uint8Array> {
  requireJson(request, options);
  return await request.readBody(options);
}

export type BodyParser = <Schema extends TSchema>(
  bytes: Uint8Array,
  schema: SchemaChoice<Schema>,
  /** Charged with the memory of the parsed body. */
  hold?: ByteHold,
) => Steps<Static<Schema>>;

/** Same for a body that has already been read. */
export function createBodyParser({
  emptyMessage,
  emptyBody,
  ...options
}: Omit<BodyOptions, 'maxBodyBytes'>): BodyParser {
  const validators = { all: createAjv(true), first: createAjv(false) };
  return function* (bytes, choice, hold) {
    const isEmpty = bytes.length === 0;
    if (isEmpty && emptyMessage !== undefined) throw new AppError('MalformedError', emptyMessage);
    const value = isEmpty && emptyBody !== undefined ? emptyBody : yield* parseJson(bytes, options, hold);
    yield;
    const schema = typeof choice === 'function' ? choice(value) : choice;
    const validate = validators[bytes.length <= SEARCHED_FOR_ALL_PROBLEMS ? 'all' : 'first'].compile(schema);
    if (!validate(value)) throw wrongShape(validate.errors ?? []);
    return value as Static<typeof schema>;
  };
}

function wrongShape(errors: readonly ErrorObject[]): AppError {
  return new AppError('InputError', explainProblems(errors), { details: problemsOf(errors) });
}

function createAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    strict: true,
    // Schemas can require one of several members by name only.
    strictRequired: false,
    allErrors,
    verbose: true,
    // Formats such as URLs are documentation; they are not validated.
    validateFormats: false,
    ...TRUSTED_SCHEMAS,
  });
  ajv.addKeyword(MESSAGE_KEYWORD);
  ajv.addKeyword(DOCUMENTED_KEYWORD);
  return ajv;
}

function requireJson(
  { headers }: Pick<RequestBody, 'headers'>,
  { anyJsonType = false }: Pick<BodyOptions, 'anyJsonType'>,
): void {
  const type = headers.get('content-type');
  const essence = type?.split(';')[0]?.trim().toLowerCase();
  const isOther = anyJsonType && (essence === undefined || /^[\w.-]+\/[\w.-]+\+json$/.test(essence));
  if (essence !== 'application/json' && !isOther) {
    const found = type ? JSON.stringify(type.slice(0, 100)) : 'none';
    throw new AppError(
      'UnsupportedMediaError',
      `Unsupported content type: found ${found}. Send the header \`Content-Type: application/json\`.`,
    );
  }
}
