import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ajv, type ErrorObject } from 'ajv';
import type { Context } from 'hono';
import type { Static, TSchema } from 'typebox';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { parseInParts } from '#core/json/parse-in-parts.ts';
import { scanJson, type MemberRange } from '#core/json/scan-json.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { type ByteBudget, type ByteHold, UNLIMITED_HOLD } from '#core/limits/byte-budget.ts';
import type { Steps } from '#core/limits/steps.ts';
import { isLarge, runFairly } from '#platform/run-yielding.ts';
import { waitFor } from '#platform/wait-for.ts';
import { ACCEPTED_ENCODINGS, bodyDecoder, type BodyGrowth } from './decode-body.ts';
import { DOCUMENTED_KEYWORD } from './documented.ts';
import { explainProblems, MESSAGE_KEYWORD, problemsOf } from './explain-problems.ts';

/**
 * Reads the JSON body of a request and validates it against a schema. Throws an AppError that lists
 * all problems.
 */
export type BodyReader = <Schema extends TSchema>(
  c: Context,
  schema: SchemaChoice<Schema>,
) => Promise<Static<Schema>>;

/** The body's schema, or a function that selects it, for routes with several kinds of bodies. */
type SchemaChoice<Schema extends TSchema> = Schema | ((body: unknown) => Schema);

export interface BodyOptions extends BodyLimits, ParseOptions {
  /**
   * Error message for an empty body, even if the request has no content type. Default: an empty
   * body is treated as truncated JSON.
   */
  readonly emptyMessage?: string | undefined;
  /** Whether to read a body as JSON if its content type is missing or ends in `+json`. */
  readonly anyJsonType?: boolean | undefined;
  /** Value of an empty body, if the body is optional. */
  readonly emptyBody?: unknown;
}

/**
 * Maximum body size for which all problems are reported. For a larger body, which could have
 * millions of problems, only the first problem is reported.
 */
const SEARCHED_FOR_ALL_PROBLEMS = 16_384;

/** A request whose body has not been read. */
export interface RequestBody {
  readonly headers: { get(name: string): string | null };
  /** Reads the body. Throws an AppError if the body is too large, arrives too slowly or is truncated. */
  readonly readBody: (limits: BodyLimits) => Promise<Uint8Array>;
  /** The account for the memory that the request uses. */
  readonly hold: () => ByteHold;
}

interface BodyLimits extends ReadBytesOptions {
  readonly maxBodyBytes: number;
}

/** Schemas are compiled once, on first use. */
export const createBodyReader = (options: BodyOptions): BodyReader =>
  bodyReaderFrom(createExchangeBodyReader(options));

/** Reads bodies both for an app and for its direct routes, so that each schema is compiled only once. */
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
    // Clients that do not send a body often do not send a content type either.
    const canBeEmpty = options.emptyMessage !== undefined || options.emptyBody !== undefined;
    const untyped = canBeEmpty && request.headers.get('content-type') === null;
    if (!untyped) requireJson(request, options);
    const bytes = await request.readBody(options);
    if (untyped && bytes.length > 0) requireJson(request, options);
    const hold = bytes.length === 0 ? undefined : request.hold();
    return runFairly(parse(bytes, schema, { hold }), bytes.length);
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
  effects?: ParseEffects,
) => Steps<Static<Schema>>;

/** What else parsing a body changes. */
export interface ParseEffects {
  /** The account to which the memory for the parsed body is charged. */
  readonly hold?: ByteHold | undefined;
  /** Receives the positions of the members of the top-level object. */
  readonly members?: MemberRange[] | undefined;
}

/** Parses and validates a body that has already been read. */
export function createBodyParser({
  emptyMessage,
  emptyBody,
  ...options
}: Omit<BodyOptions, 'maxBodyBytes'>): BodyParser {
  const validators = { all: createAjv(true), first: createAjv(false) };
  return function* (bytes, choice, effects) {
    const isEmpty = bytes.length === 0;
    if (isEmpty && emptyMessage !== undefined) throw new AppError('MalformedError', emptyMessage);
    const value = isEmpty && emptyBody !== undefined ? emptyBody : yield* parseJson(bytes, options, effects);
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
    // To require one of several fields, a schema must list them by name.
    strictRequired: false,
    allErrors,
    verbose: true,
    // Formats such as `uri` only serve as documentation and are not validated.
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

export interface ParseOptions {
  /** Maximum nesting depth. Default: 64; requests to models have three or four levels. */
  readonly maxDepth?: number | undefined;
  /** Maximum number of values, including those inside lists and objects. Default: a million. */
  readonly maxValues?: number | undefined;
  /** JSON parser. Default: `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

const MAX_DEPTH = 64;
const MAX_VALUES = 1_000_000;

/**
 * Parses the bytes of a JSON text. Throws a MalformedError with the position of the first error.
 * The memory for lists and objects, which can be 30 times the size of their text, is charged to
 * `hold`. Each step is one pass over the text, or a part of one.
 */
export function* parseJson(
  bytes: Uint8Array,
  { maxDepth = MAX_DEPTH, maxValues = MAX_VALUES, parse = parseJsonText }: ParseOptions = {},
  { hold, members = [] }: ParseEffects = {},
): Steps<unknown> {
  // Parsing millions of levels or values would block the event loop for seconds.
  const size = yield* scanJson(bytes, { maxDepth, maxValues }, members);
  if ('heapBytes' in size) hold?.take(size.heapBytes);
  else if (size.exceeds === 'maxDepth') {
    throw located(
      'InputError',
      `The body exceeds the maximum nesting depth of ${maxDepth} lists and objects.`,
    );
  } else {
    throw located('TooLargeError', `The body has more than ${maxValues} values. Send a smaller request.`);
  }
  if (!isUtf8(bytes)) throw located('MalformedError', 'The body is not valid UTF-8.');
  yield;
  if (isLarge(bytes.length)) {
    try {
      return yield* parseInParts(bytes, members, parse);
    } catch {
      // The whole text is parsed below, so that the error contains the position in it.
    }
  }
  const text = textOf(bytes);
  yield;
  try {
    return parse(text);
  } catch (error) {
    throw located('MalformedError', `The body is not valid JSON: ${explainJson(text, error)}`);
  }
}

/** Decodes the text and removes the byte order mark. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, length).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

const located = (code: ErrorCode, message: string): AppError =>
  new AppError(code, message, { details: [{ location: 'body', message }] });

export interface ReadBytesOptions {
  /** Error message for a body that is too large. */
  readonly tooLargeMessage?: ((limit: number) => string) | undefined;
  /** Timeout for the body in milliseconds. Default: the server's request timeout. */
  readonly timeoutMs?: number | undefined;
}

/** Reads and decompresses a request body, up to `limit` bytes before and after decompression. */
export async function readBytes(
  c: Context,
  limit: number,
  { tooLargeMessage, timeoutMs }: ReadBytesOptions = {},
): Promise<Uint8Array> {
  const refusal = (): AppError => tooLargeError(limit, tooLargeMessage);
  const decode = decoderOf(c);
  const announced = c.req.header('Content-Length');
  if (announced !== undefined && Number(announced) > limit) throw refusal();
  const hold = holdOf(c);
  if (announced !== undefined) hold.take(Number(announced));
  try {
    // If the length is announced, Node enforces it. Otherwise, the bytes of the body must be counted.
    const reading =
      announced === undefined
        ? readCounted(c.req.raw.body, { limit, tooLarge: refusal, hold })
        : readWhole(c);
    const body = await (timeoutMs === undefined
      ? reading
      : waitFor(reading, { timeoutMs, late: bodyTimeoutError }));
    return decode ? await decode(body, { limit, tooLarge: refusal, hold }) : body;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw truncatedBodyError(error);
  }
}

function decoderOf(c: Context): ReturnType<typeof bodyDecoder> {
  try {
    return bodyDecoder(c.req.header('Content-Encoding'));
  } catch (error) {
    // This header shows the client that the problem is the encoding, not the content type.
    c.header('Accept-Encoding', ACCEPTED_ENCODINGS);
    throw error;
  }
}

const readWhole = async (c: Context): Promise<Uint8Array> => new Uint8Array(await c.req.raw.arrayBuffer());

/** Reads a body of unknown length, and stops as soon as the body exceeds a limit. */
async function readCounted(
  body: ReadableStream<Uint8Array> | null,
  { limit, tooLarge, hold }: BodyGrowth,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge();
    hold.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

const tooLargeText = (limit: number): string =>
  `Body too large: the maximum is ${limit} bytes. Send a smaller request, or start the server with a larger --max-body.`;

export const tooLargeError = (
  limit: number,
  message: ReadBytesOptions['tooLargeMessage'] = tooLargeText,
): AppError => new AppError('TooLargeError', message(limit));

export const bodyTimeoutError = (): AppError => new AppError('SlowRequestError', 'request body read timeout');

export const truncatedBodyError = (cause?: unknown): AppError =>
  new AppError('CancelledError', 'The body was truncated.', { cause });

/**
 * Reads the body of a request whose length is known. Node enforces this length. Throws if `hold`
 * does not grant that many bytes.
 */
export function readIncoming(
  incoming: IncomingMessage,
  timeoutMs: number,
  hold: ByteHold,
): Promise<Uint8Array> {
  const length = Number(incoming.headers['content-length']);
  hold.take(length);
  // Most bodies arrive with the headers, before authentication has finished.
  if (incoming.readableLength === length) {
    const bytes: Buffer | null = incoming.read();
    incoming.resume();
    return Promise.resolve(bytes ?? Buffer.alloc(0));
  }
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => {
    reject(bodyTimeoutError());
  }, timeoutMs);
  const cut = (): void => {
    // This event is emitted for every request, and creating an error is more expensive than the
    // rest of this handler.
    if (!incoming.complete) reject(truncatedBodyError());
  };
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    const [only] = chunks;
    resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks));
  });
  incoming.once('error', cut);
  incoming.once('close', cut);
  // The request may have been cut off during authentication.
  if (incoming.destroyed) cut();
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Opens the memory account of a request when the first bytes of its body are read, because most
 * requests have no body.
 */
export type OpenHold = () => ByteHold;

/** The account is released when the response ends. */
export function holdOfResponse(
  bytes: ByteBudget,
  response: Pick<ServerResponse, 'once' | 'closed'>,
  caller: () => string | undefined,
): OpenHold {
  let hold: ByteHold | undefined;
  return () => {
    if (hold) return hold;
    const opened = bytes.open(caller());
    if (response.closed) opened.release();
    else response.once('close', opened.release);
    hold = opened;
    return opened;
  };
}

/**
 * Returns the memory account of a request in an app. If the app is called without a server, there
 * is none.
 */
export const holdOf = (c: Context): ByteHold =>
  (c.get('openHold') as OpenHold | undefined)?.() ?? UNLIMITED_HOLD;
