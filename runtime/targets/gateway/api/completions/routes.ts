import { type TObject, type TSchema, Type } from 'typebox';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS, type ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { directRoute, type Route } from '#serve/http/route.ts';
import type { ModelCallContext } from '../../context.ts';
import { membersOfForm } from '../../providers/adapters/form-fields.ts';
import type { CompletionRequest, Endpoint } from '../../requests/completions/completion.ts';
import { ENDPOINTS, BODY_ENDPOINTS } from '../../requests/completions/endpoints/index.ts';
import { type Form, requiredFile } from '#serve/http/form.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { modelCallOf } from '../guards.ts';
import { readUploadForm } from '../http/bodies.ts';
import type { HttpParts } from '../http/parts.ts';
import { ENDPOINT_DOCS } from './docs.ts';
import { AppError } from '#contract/errors.ts';
import { readJsonBytes } from '#serve/http/body.ts';
import type { HttpExchange, KeepAlive, PieceSource } from '#serve/http/exchange.ts';
import { KEEP_ALIVE_TEXT } from '../../providers/streams/stream.ts';
import { harmlessType } from '../http/harmless-type.ts';
import type { Clock } from '#platform/clock.ts';

/** Routes for model requests. Most JSON requests are handled on the fast path. */
export function completionRoutes(
  context: ModelCallContext,
  options: GatewayAppOptions,
  { guards, route }: HttpParts,
): readonly Route[] {
  const answer = createCompletionAnswer(context, options);
  const bodies = modelBodyOptions(options);
  return BODY_ENDPOINTS.map((endpoint) => {
    const declared = { ...describeEndpoint(endpoint), path: endpoint, guard: guards.models };
    const { fileField } = ENDPOINTS[endpoint];
    if (fileField === undefined) {
      return directRoute({
        ...declared,
        direct: ({ exchange, requestId, caller }) =>
          answer(exchange, { endpoint, ...modelCallOf(caller), requestId }),
      });
    }
    return route({
      ...declared,
      run(c) {
        const readInput = async () => formInput(await readUploadForm(c, bodies), fileField);
        const request = {
          endpoint,
          ...modelCallOf(c.get('caller')),
          requestId: c.get('requestId'),
          readInput,
        };
        return answerRequest(c, (exchange) => answer(exchange, request));
      },
    });
  });
}

/** Content type of streamed responses. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Comments are sent at this interval, because some proxies close connections that are idle for longer. */
export const KEEP_ALIVE = { text: KEEP_ALIVE_TEXT, milliseconds: 15_000 };

/** How to write a stream to the client. */
export interface StreamForm {
  readonly contentType: string;
  readonly keepAlive: KeepAlive;
  /** Converts the stream's events to another format. */
  readonly write: (events: PieceSource) => PieceSource;
}

const AS_EVENTS: StreamForm = {
  contentType: EVENT_STREAM,
  keepAlive: KEEP_ALIVE,
  write: (events) => events,
};

/** Handles a model request. Shutdown waits for the response. */
type AnswerCompletion = (
  exchange: HttpExchange,
  request: Pick<
    CompletionRequest,
    'endpoint' | 'caller' | 'callerAgain' | 'requestId' | 'inPath' | 'replay'
  > & {
    /** Reads a body that is not JSON. */
    readonly readInput?: (() => Promise<Pick<CompletionRequest, 'bytes' | 'file'>>) | undefined;
  },
  /** Default: events. */
  form?: StreamForm,
) => Promise<void>;

/** Byte streams without events cannot contain comments. */
const SILENCE = { ...KEEP_ALIVE, text: '' };

export function createCompletionAnswer(
  { kernel, clock, completions }: ModelCallContext,
  options: GatewayAppOptions,
): AnswerCompletion {
  const bodies = modelBodyOptions(options);
  return async (exchange, { readInput, ...request }, form = AS_EVENTS) => {
    const startedAt = clock.now();
    const controller = new AbortController();
    exchange.onGone(() => controller.abort());
    const leave = kernel.lifecycle.enter((reason) => controller.abort(reason));
    const send = (events: PieceSource, { contentType, keepAlive, write } = form): void => {
      request.replay?.streamed();
      exchange.sendPieces({ 'Content-Type': contentType }, write(events), keepAlive);
    };
    let pending: PendingStream | undefined;
    try {
      const input = readInput ? await readInput() : { bytes: await readJsonBytes(exchange, bodies) };
      const { headers } = exchange;
      const hold = exchange.hold();
      const answer = await completions.answer({
        ...request,
        ...input,
        headers,
        hold,
        startedAt,
        signal: controller.signal,
        setHeader(name, value) {
          if (!pending?.hasBegun()) exchange.setHeader(name, value);
        },
        onStreamPending(errorText) {
          pending = openPendingStream({
            clock,
            afterMs: form.keepAlive.milliseconds,
            begin: (events) => send(events),
            errorText,
            onGone: () => controller.abort(),
          });
        },
      });
      pending?.disarm();
      if (answer.kind === 'whole') {
        const { type = 'application/json', bytes: body } = answer;
        exchange.answer({ status: 200, headers: { 'content-type': harmlessType(type) }, body });
        leave();
        return;
      }
      // The request is complete once `ended` resolves, which also happens if the client disconnects before
      // the last byte.
      void answer.events.ended.then(leave);
      if (pending?.hasBegun()) pending.resolve(answer.events);
      else if (answer.type === undefined) send(answer.events);
      else send(answer.events, { ...AS_EVENTS, contentType: harmlessType(answer.type), keepAlive: SILENCE });
    } catch (error) {
      pending?.disarm();
      leave();
      if (!pending?.hasBegun()) throw error;
      pending.fail(AppError.from(error));
    }
  };
}

interface PendingStreamParts {
  readonly clock: Pick<Clock, 'after'>;
  /** How long a client can wait without receiving anything. */
  readonly afterMs: number;
  /** Starts the response. */
  readonly begin: (source: PieceSource) => void;
  /** Formats an error as an event. */
  readonly errorText: (error: AppError) => string;
  /** Called if the client disconnects while it waits. */
  readonly onGone: () => void;
}

/**
 * A stream that a client is waiting for. Models can take minutes until their first output, and proxies
 * close idle connections, so after a while, the response starts with comments. They are followed by the
 * actual response or by an error event.
 */
interface PendingStream {
  readonly disarm: () => void;
  readonly hasBegun: () => boolean;
  /** Continues with the response. */
  readonly resolve: (events: PieceSource) => void;
  /** Ends the stream with an error. */
  readonly fail: (error: AppError) => void;
}

function openPendingStream({ clock, afterMs, begin, errorText, onGone }: PendingStreamParts): PendingStream {
  const source = Promise.withResolvers<PieceSource>();
  let hasBegun = false;

  const start = (): void => {
    hasBegun = true;
    let isFirst = true;
    const unread = source.promise.then((events) => events.unread ?? new Promise<never>(() => undefined));
    begin({
      async next() {
        if (isFirst) {
          isFirst = false;
          return { done: false, value: Buffer.from(KEEP_ALIVE_TEXT) };
        }
        return await (await source.promise).next();
      },
      async cancel() {
        onGone();
        await (await source.promise).cancel();
      },
      unread,
    });
  };
  return {
    disarm: clock.after(afterMs, start),
    hasBegun: () => hasBegun,
    resolve: (events) => source.resolve(events),
    fail: (error) => source.resolve(oneText(errorText(error))),
  };
}

/** A request body that contains a single text. */
function oneText(text: string): PieceSource {
  let isRead = false;
  return {
    next() {
      if (isRead) return Promise.resolve({ done: true, value: undefined });
      isRead = true;
      return Promise.resolve({ done: false, value: Buffer.from(text) });
    },
    cancel: () => Promise.resolve(),
  };
}

/** The request contained in a form: its file, and its other fields as JSON. */
const formInput = (form: Form, fileField: string): Pick<CompletionRequest, 'bytes' | 'file'> => ({
  file: requiredFile(form, fileField),
  bytes: Buffer.from(JSON.stringify(membersOfForm(form))),
});

/** The errors of model calls, in addition to the errors of their guard. */
const CALL_ERRORS: readonly ErrorStatus[] = [...BODY_ERRORS, 402, 429, 502, 504];

const HEADERS: NonNullable<Operation['answer']['headers']> = [
  { name: 'X-RateLimit-Limit', description: 'Requests-per-minute limit, if there is one.', type: 'integer' },
  { name: 'X-RateLimit-Remaining', description: 'Remaining requests.', type: 'integer' },
  {
    name: 'X-RateLimit-Reset',
    description: 'Time at which the limit resets, as a Unix timestamp.',
    type: 'integer',
  },
  {
    name: 'X-Gateway-Guardrails',
    description: 'Guardrail results: a list of objects with `profile`, `mode`, `valid` and `score`.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Unpriced',
    description: '`true` if a budget applies but the model has no price, so the cost is not counted.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Queue-Ms',
    description: 'Milliseconds that the request has waited in a queue, if it has waited.',
    type: 'integer',
  },
  {
    name: 'X-Gateway-Variant',
    description: 'Variant of an A/B test that the user has: `current` or `candidate`.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Dropped-Tools',
    description: 'Types of tools that were dropped because the model’s provider cannot run them.',
    type: 'string',
  },
];

const FORM = 'multipart/form-data';
const TEXT = { schema: Type.String(), examples: { text: 'Hello!' } };

const EVENTS = {
  mediaType: EVENT_STREAM.split(';')[0] ?? EVENT_STREAM,
  schema: Type.String({
    description: 'Server-sent events in the format of the compatible API.',
  }),
  examples: { events: 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n' },
};

/** OpenAPI documentation of an endpoint, which can have routes under the paths of several APIs. */
export function describeEndpoint(endpoint: Endpoint) {
  const {
    id,
    tag = 'Models',
    summary,
    description,
    parameters,
    request,
    answer,
    example,
  } = ENDPOINT_DOCS[endpoint];
  const { streams, answerType: mediaType, otherTypes = [] } = ENDPOINT_DOCS[endpoint];
  const { fileField, schema } = ENDPOINTS[endpoint];
  const others = otherTypes.map((type) => ({ ...TEXT, mediaType: type }));
  return {
    method: 'post',
    id,
    tag,
    ...(parameters && { parameters }),
    summary,
    description,
    request: {
      ...(fileField === undefined ? { schema } : { mediaType: FORM, schema: withFile(schema, fileField) }),
      examples: { request },
      isRaw: true,
    },
    answer: {
      description: summary,
      headers: HEADERS,
      ...(streams === 'only'
        ? EVENTS
        : { ...(mediaType && { mediaType }), schema: answer, examples: { answer: example } }),
    },
    otherAnswers: [
      ...(streams === true ? [EVENTS] : []),
      ...(streams === 'only' ? [{ schema: Type.Array(answer), examples: { answer: [example] } }] : []),
      ...others,
    ],
    errors: CALL_ERRORS,
  } as const;
}

/** A form's schema: its fields, and its file. */
function withFile(schema: TSchema, name: string): TSchema {
  const { properties, required, ...rest } = schema as TObject;
  const file = Type.String({ format: 'binary' });
  return Type.Unsafe({
    ...rest,
    properties: { ...properties, [name]: file },
    required: [...(required ?? []), name],
  });
}
