import { type Static, Type } from 'typebox';
import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { PromptFilter } from '../accounts/prompts/prompt-filter.ts';
import { SCORE } from '../shared/feedback-limits.ts';
import { THUMBS, USAGE_STATUSES } from '../shared/record-words.ts';
import { maybe, moment, nonEmptyText } from './http/fields.ts';
import { millisecondsOrNull, momentOf } from './http/values.ts';

const CODE = { min: 1, max: 599 };
const CHARACTERS = { min: 0, max: Number.MAX_SAFE_INTEGER };

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;
const CODE_WORDS = 'Only requests with this HTTP status, e.g. 429, or with a status of this class, e.g. 5.';

/** The filters of stored requests, as query parameters. */
export const PROMPT_PARAMETERS: NonNullable<Operation['parameters']> = [
  text('user_id', 'Only requests from this user.', 'ada'),
  text('api_key_id', 'Only requests with this key.', '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7'),
  text('model', 'Only requests to this model.', 'openai:gpt-5-mini'),
  text('endpoint', 'Only requests to this endpoint.', '/v1/chat/completions'),
  text('request_id', 'Only this request.', '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11'),
  {
    ...text('status', 'Only requests with this outcome.', 'error'),
    schema: oneOf(['any', ...USAGE_STATUSES], { default: 'any' }),
  },
  {
    name: 'status_code',
    in: 'query',
    description: CODE_WORDS,
    example: 429,
    schema: Type.Integer({ minimum: CODE.min, maximum: CODE.max }),
  },
  text('tag', 'Only requests with this tag.', 'search'),
  {
    name: 'min_characters',
    in: 'query',
    description: 'Minimum length of the stored request as JSON.',
    example: 1,
    schema: Type.Integer({ minimum: 0 }),
  },
  {
    name: 'max_characters',
    in: 'query',
    description: 'Maximum length of the stored request as JSON.',
    example: 4000,
    schema: Type.Integer({ minimum: 0 }),
  },
  {
    ...text('thumb', 'Only requests with this thumb in their feedback.', 'down'),
    schema: oneOf(['any', ...THUMBS], { default: 'any' }),
  },
  text('label', 'Only requests with this label in their feedback.', 'wrong-language'),
  { ...text('min_score', 'Minimum score in the feedback.', '0'), schema: Type.Number(SCORE) },
  { ...text('max_score', 'Maximum score in the feedback.', '0.5'), schema: Type.Number(SCORE) },
  {
    ...text('feedback', 'Only requests that have feedback, or that have none.', 'none'),
    schema: oneOf(['any', 'some', 'none'], { default: 'any' }),
  },
  text('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
  text('to', 'End time, exclusive.', '2026-02-01'),
];

const NAMES = PROMPT_PARAMETERS.map(({ name }) => name);
export const PROMPT_PARAMETER_NAMES: readonly string[] = [...NAMES, 'skip', 'limit'];

/** Parses the filters in a query. Throws an InputError. */
export function promptFilterOf(c: Context): PromptFilter {
  const value = (name: string): string | undefined => c.req.query(name) || undefined;
  const count = (name: string, range: { readonly min: number; readonly max: number }) =>
    value(name) === undefined ? undefined : wholeNumberOf(c, name, { ...range, fallback: range.min });
  const status = wordOf(c, 'status', ['any', ...USAGE_STATUSES], 'any');
  const thumb = wordOf(c, 'thumb', ['any', ...THUMBS], 'any');
  const feedback = wordOf(c, 'feedback', ['any', 'some', 'none'], 'any');
  return {
    userId: value('user_id'),
    keyId: value('api_key_id'),
    model: value('model'),
    endpoint: value('endpoint'),
    requestId: value('request_id'),
    status: status === 'any' ? undefined : status,
    statusCode: count('status_code', CODE),
    tag: value('tag'),
    minCharacters: count('min_characters', CHARACTERS),
    maxCharacters: count('max_characters', CHARACTERS),
    thumb: thumb === 'any' ? undefined : thumb,
    label: value('label'),
    minScore: scoreIn('min_score', value('min_score')),
    maxScore: scoreIn('max_score', value('max_score')),
    hasFeedback: feedback === 'any' ? undefined : feedback === 'some',
    from: momentOf(c, 'from'),
    to: momentOf(c, 'to'),
  };
}

function scoreIn(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const score = Number(value);
  if (value.trim() !== '' && score >= SCORE.minimum && score <= SCORE.maximum) return score;
  const message = `${name} must be a number from ${SCORE.minimum} to ${SCORE.maximum}, not ${JSON.stringify(value.slice(0, 80))}`;
  throw new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
}

const word = (description: string) => maybe(nonEmptyText(description));
const characters = (description: string) => maybe(Type.Integer({ minimum: 0, description }));

/** The same filters in a body. */
export const promptFilter = Type.Object(
  {
    user_id: word('Only requests from this user.'),
    api_key_id: word('Only requests with this key.'),
    model: word('Only requests to this model.'),
    endpoint: word('Only requests to this endpoint.'),
    request_id: word('Only this request.'),
    status: maybe(oneOf(USAGE_STATUSES, { description: 'Only requests with this outcome.' })),
    status_code: maybe(
      Type.Integer({
        minimum: CODE.min,
        maximum: CODE.max,
        description: CODE_WORDS,
      }),
    ),
    tag: word('Only requests with this tag.'),
    min_characters: characters('Minimum length of the stored request as JSON.'),
    max_characters: characters('Maximum length of the stored request as JSON.'),
    thumb: maybe(oneOf(THUMBS, { description: 'Only requests with this thumb in their feedback.' })),
    label: word('Only requests with this label in their feedback.'),
    min_score: maybe(Type.Number({ ...SCORE, description: 'Minimum score in the feedback.' })),
    max_score: maybe(Type.Number({ ...SCORE, description: 'Maximum score in the feedback.' })),
    feedback: maybe(
      oneOf(['some', 'none'], { description: 'Only requests that have feedback, or that have none.' }),
    ),
    from: maybe(moment('Start time, inclusive.')),
    to: maybe(moment('End time, exclusive.')),
  },
  { additionalProperties: false, description: 'Filters of `GET /v1/admin/prompts`, combined with AND.' },
);

/** Converts the filters in a body. Throws an InputError. */
export const promptFilterIn = (body: Static<typeof promptFilter>): PromptFilter => ({
  userId: body.user_id ?? undefined,
  keyId: body.api_key_id ?? undefined,
  model: body.model ?? undefined,
  endpoint: body.endpoint ?? undefined,
  requestId: body.request_id ?? undefined,
  status: body.status ?? undefined,
  statusCode: body.status_code ?? undefined,
  tag: body.tag ?? undefined,
  minCharacters: body.min_characters ?? undefined,
  maxCharacters: body.max_characters ?? undefined,
  thumb: body.thumb ?? undefined,
  label: body.label ?? undefined,
  minScore: body.min_score ?? undefined,
  maxScore: body.max_score ?? undefined,
  hasFeedback: body.feedback === undefined || body.feedback === null ? undefined : body.feedback === 'some',
  from: millisecondsOrNull('filter.from', body.from) ?? undefined,
  to: millisecondsOrNull('filter.to', body.to) ?? undefined,
});
