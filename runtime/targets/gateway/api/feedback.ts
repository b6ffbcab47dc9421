import { AppError, inputError } from '#contract/errors.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import { wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { Judgement } from '../accounts/feedback/feedback-log.ts';
import { notFound } from '../accounts/identity/checks.ts';
import type { Caller } from '../accounts/identity/identity.ts';
import { readsEverything } from '../accounts/identity/manager.ts';
import type { GatewayContext } from '../context.ts';
import { type Author, MASTER_AUTHOR } from '../shared/feedback-limits.ts';
import { ownerIdOf } from '../shared/owner.ts';
import { THUMBS } from '../shared/record-words.ts';
import type { UsageRow } from '../store/schema.ts';
import { feedback, feedbackPage, feedbackRates, newFeedback } from './feedback-schemas.ts';
import { callerOf } from './guards.ts';
import { pageOf, pageOfList, refuseUnknownParameters } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { momentOf } from './http/values.ts';
import { ownersOf, sightOf } from './requests.ts';
import { TIME_PARAMETERS } from './usage.ts';
import { feedbackRateView, feedbackView } from './views/feedback.ts';

const FEEDBACK = {
  id: '019cab3c-5200-7000-8f4e-5a1d0c2b7e91',
  request_id: '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11',
  at: '2026-03-01T12:00:05Z',
  created_at: '2026-03-01T12:00:05Z',
  author: 'ada',
  thumb: 'down' as const,
  score: null,
  label: 'wrong-language',
  text: 'I asked in French.',
  expected_output: null,
  user_id: 'ada',
  api_key_id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  model: 'openai:gpt-5-mini',
  endpoint: '/v1/chat/completions',
};

const RATE = {
  model: FEEDBACK.model,
  feedback: 12,
  up: 9,
  down: 3,
  up_rate: 0.75,
  scores: 0,
  mean_score: null,
};

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;

const DISABLED =
  'Feedback is disabled. Ask the administrator to set `feedback.enabled` in the configuration.';

const PARAMETERS = ['request_id', 'user_id', 'api_key_id', 'model', 'thumb', 'label', 'from', 'to'];

/** `/v1/feedback`: judgements of responses. */
export function feedbackRoutes(
  { state, models, policy, hasFeedback }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  const { feedback: log, requests, identity } = state;

  /** The newest request with this ID that the caller can judge. */
  const requestOf = async (caller: Caller, id: string): Promise<UsageRow> => {
    const { owners, isOwn } = await sightOf(caller, identity);
    const viewer = await viewerId(caller);
    const own = viewer === undefined ? owners : { userId: viewer };
    const rows = await requests.named(id, own);
    const found = rows.find((row) => isOwn(ownersOf(row), row.timestamp));
    if (found) return found;
    throw notFound(
      `No finished request with ID '${id.slice(0, 100)}' found. Send the X-Request-Id of a response to one of your requests`,
      'request_not_found',
    );
  };
  /** The user ID of a caller that reads everything but changes nothing, and so only judges their own requests. */
  const viewerId = async (caller: Caller): Promise<string | undefined> => {
    if (caller.kind === 'master' || caller.key.scope === 'models') return undefined;
    const { role, userId } = await identity.manager(caller);
    return role === 'viewer' ? (userId ?? '') : undefined;
  };
  const redacted = async (judgement: Judgement): Promise<Judgement> => {
    const { set, release } = models.hold();
    const redact = async (value: string | null): Promise<string | null> =>
      value === null ? null : await policy.redact(value, set);
    try {
      const { label, text: comment, expectedOutput } = judgement;
      return {
        ...judgement,
        label: await redact(label),
        text: await redact(comment),
        expectedOutput: await redact(expectedOutput),
      };
    } catch (error) {
      const message = 'Removing secrets from the feedback took too long. Send a shorter text.';
      throw new AppError('UnavailableError', message, { cause: error, reason: 'redaction_timeout' });
    } finally {
      release();
    }
  };

  return [
    route({
      method: 'post',
      path: '/v1/feedback',
      guard: guards.anyKey,
      id: 'setFeedback',
      tag: 'Usage',
      summary: 'Judge the response to a request.',
      description:
        'For the key or user that sent the request, and for administrators. There is one item per request and author; sending it again replaces it. The request does not have to be logged.',
      isRepeatable: true,
      errors: [409],
      request: {
        schema: newFeedback,
        examples: {
          thumb: {
            request_id: FEEDBACK.request_id,
            thumb: 'down',
            label: FEEDBACK.label,
            text: FEEDBACK.text,
          },
        },
      },
      answer: answerOf('The feedback.', feedback, FEEDBACK),
      run: async (c, body) => {
        if (!hasFeedback) throw new AppError('ForbiddenError', DISABLED, { reason: 'feedback_disabled' });
        const judgement = {
          thumb: body.thumb ?? null,
          score: body.score ?? null,
          label: body.label ?? null,
          text: body.text ?? null,
          expectedOutput: body.expected_output ?? null,
        };
        if (Object.values(judgement).every((value) => value === null))
          throw inputError('The feedback is empty. Set thumb, score, label, text or expected_output.');
        const caller = callerOf(c);
        const request = await requestOf(caller, body.request_id);
        const { keyId } = ownOf(caller);
        return feedbackView(await log.set(request, authorOf(caller), await redacted(judgement), keyId));
      },
    }),
    route({
      method: 'get',
      path: '/v1/feedback',
      guard: guards.anyKey,
      id: 'listFeedback',
      tag: 'Usage',
      summary: 'List feedback, newest first.',
      description:
        'The master key and the roles admin and viewer see all feedback; other callers see their own. Filters are combined with AND.',
      ...pageOfList({
        schema: feedbackPage,
        example: { total: 1, items: [FEEDBACK] },
        parameters: [
          text('request_id', 'Only feedback on this request.', FEEDBACK.request_id),
          text('user_id', 'Only requests from this user.', 'ada'),
          text('api_key_id', 'Only requests with this key.', FEEDBACK.api_key_id),
          text('model', 'Only requests to this model.', FEEDBACK.model),
          {
            ...text('thumb', 'Only feedback with this thumb.', 'down'),
            schema: oneOf(['any', ...THUMBS], { default: 'any' }),
          },
          text('label', 'Only feedback with this label.', FEEDBACK.label),
          ...TIME_PARAMETERS,
        ],
      }),
      run: async (c) => {
        refuseUnknownParameters(c, [...PARAMETERS, 'skip', 'limit']);
        const value = (name: string): string | undefined => c.req.query(name) || undefined;
        const thumb = wordOf(c, 'thumb', ['any', ...THUMBS], 'any');
        const caller = callerOf(c);
        const page = await log.list(
          {
            requestId: value('request_id'),
            userId: value('user_id'),
            keyId: value('api_key_id'),
            model: value('model'),
            thumb: thumb === 'any' ? undefined : thumb,
            label: value('label'),
            from: momentOf(c, 'from'),
            to: momentOf(c, 'to'),
            ...((await seesAll(caller)) ? {} : ownOf(caller)),
          },
          pageOf(c),
        );
        return { total: page.total, items: page.feedback.map(feedbackView) };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/feedback/:id',
      guard: guards.anyKey,
      id: 'deleteFeedback',
      tag: 'Usage',
      summary: 'Delete feedback.',
      description:
        'For its author and for administrators. Feedback that the caller cannot delete returns 404.',
      parameters: [{ name: 'id', description: 'ID of the feedback.', example: FEEDBACK.id }],
      answer: noContent('The feedback is deleted.'),
      run: async (c) => {
        const caller = callerOf(c);
        await log.delete(c.req.param('id'), (await isAdmin(caller)) ? 'administrator' : ownOf(caller));
      },
    }),
    route({
      method: 'get',
      path: '/v1/usage/feedback',
      guard: guards.reader,
      id: 'getFeedbackRates',
      tag: 'Usage',
      summary: 'Get the share of good responses by model, according to feedback.',
      parameters: TIME_PARAMETERS,
      answer: answerOf('The models, those with the most feedback first.', feedbackRates, [RATE]),
      run: async (c) => {
        refuseUnknownParameters(c, ['from', 'to']);
        const range = { from: momentOf(c, 'from'), to: momentOf(c, 'to') };
        return (await log.rates(range)).map(feedbackRateView);
      },
    }),
  ];

  async function seesAll(caller: Caller): Promise<boolean> {
    if (caller.kind === 'key' && caller.key.scope === 'models') return false;
    return readsEverything(await identity.manager(caller));
  }
  async function isAdmin(caller: Caller): Promise<boolean> {
    if (caller.kind === 'key' && caller.key.scope === 'models') return false;
    return (await identity.manager(caller)).role === 'admin';
  }
}

/** Limits feedback to the caller's own. Keys that call models only see feedback on their own requests. */
function ownOf(caller: Caller): { readonly authorId: string; readonly keyId?: string } {
  const authorId = authorOf(caller).id;
  const isModelKey = caller.kind === 'key' && caller.key.scope === 'models';
  return isModelKey ? { authorId, keyId: caller.key.id } : { authorId };
}

/** The author of what a caller writes. All keys of a user have the same author. */
function authorOf(caller: Caller): Author {
  if (caller.kind === 'master') return MASTER_AUTHOR;
  const { owner } = caller.data;
  if (!owner) throw new Error('a key has an owner');
  return { id: ownerIdOf(owner.space), userId: caller.user.userId };
}
