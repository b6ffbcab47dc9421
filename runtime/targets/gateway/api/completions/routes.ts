import { type TObject, type TSchema, Type } from 'typebox';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS, type ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { directRoute, type Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../../context.ts';
import { membersOfForm } from '../../providers/adapters/form-fields.ts';
import type { CompletionRequest, Endpoint } from '../../requests/completions/completion.ts';
import { ENDPOINTS, BODY_ENDPOINTS } from '../../requests/completions/endpoints/index.ts';
import { type Form, requiredFile } from '../../shared/form.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { payerOf } from '../guards.ts';
import { readUploadForm } from '../http/bodies.ts';
import type { HttpParts } from '../http/parts.ts';
import { EVENT_STREAM, createCompletionAnswer } from './answer.ts';
import { ENDPOINT_DOCS } from './docs.ts';

/** The request that a form is: its file, and its other fields as JSON. */
const formInput = (form: Form, fileField: string): Pick<CompletionRequest, 'bytes' | 'file'> => ({
  file: requiredFile(form, fileField),
  bytes: Buffer.from(JSON.stringify(membersOfForm(form))),
});

/** Errors of calls of models, besides those of their guard. */
const CALL_ERRORS: readonly ErrorStatus[] = [...BODY_ERRORS, 402, 429, 502, 504];

const HEADERS: NonNullable<Operation['answer']['headers']> = [
  { name: 'X-RateLimit-Limit', description: 'Requests per minute, if they are limited.', type: 'integer' },
  { name: 'X-RateLimit-Remaining', description: 'Remaining requests.', type: 'integer' },
  {
    name: 'X-RateLimit-Reset',
    description: 'When the limit is reset, as a Unix timestamp.',
    type: 'integer',
  },
  {
    name: 'X-Gateway-Guardrails',
    description: 'Results of the guardrails: a list of objects with `profile`, `mode`, `valid` and `score`.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Unpriced',
    description: '`true` if a budget applies and the model has no price: the cost is not counted.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Dropped-Tools',
    description: 'Types of tools that the provider of the model cannot run, so that it did not get them.',
    type: 'string',
  },
];

const FORM = 'multipart/form-data';
const TEXT = { schema: Type.String(), examples: { text: 'Hello!' } };

const EVENTS = {
  mediaType: EVENT_STREAM.split(';')[0] ?? EVENT_STREAM,
  schema: Type.String({
    description: 'Server-sent events in the format of the API that this endpoint is compatible with.',
  }),
  examples: { events: 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n' },
};

/** Documentation of an endpoint, which has routes under the paths of several APIs. */
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

/** The schema of a form: its fields, and its file. */
function withFile(schema: TSchema, name: string): TSchema {
  const { properties, required, ...rest } = schema as TObject;
  const file = Type.String({ format: 'binary' });
  return Type.Unsafe({
    ...rest,
    properties: { ...properties, [name]: file },
    required: [...(required ?? []), name],
  });
}

/** Routes of model requests. Those with JSON are answered directly, unless a request is unusual. */
export function completionRoutes(
  context: GatewayContext,
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
          answer(exchange, { endpoint, caller: payerOf(caller), requestId }),
      });
    }
    return route({
      ...declared,
      run(c) {
        const readInput = async () => formInput(await readUploadForm(c, bodies), fileField);
        const request = {
          endpoint,
          caller: payerOf(c.get('caller')),
          requestId: c.get('requestId'),
          readInput,
        };
        return answerRequest(c, (exchange) => answer(exchange, request));
      },
    });
  });
}
