import { type TObject, type TSchema, Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { ENDPOINTS } from '../../requests/completions/endpoints/index.ts';
import { ENDPOINT_DOCS } from './endpoint-docs.ts';
import { EVENT_STREAM } from './event-stream.ts';
import { entriesOf } from '#core/values/keys.ts';

const ERRORS: readonly ErrorStatus[] = [400, 402, 403, 404, 408, 413, 415, 422, 429, 500, 502, 503, 504];

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

export const COMPLETION_OPERATIONS: readonly Operation[] = entriesOf(ENDPOINT_DOCS).map(([path, docs]) => {
  const { id, tag = 'Models', summary, description, parameters, request, answer, example } = docs;
  const { streams, answerType: mediaType, otherTypes = [] } = docs;
  const { fileField, schema } = ENDPOINTS[path];
  const others = otherTypes.map((type) => ({ ...TEXT, mediaType: type }));
  return {
    method: 'post',
    path,
    id,
    tag,
    ...(parameters && { parameters }),
    summary,
    description,
    request:
      fileField === undefined
        ? { schema, examples: { request } }
        : { mediaType: FORM, schema: withFile(schema, fileField), examples: { request } },
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
    errors: ERRORS,
  };
});

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
