import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { MAX_COMMENT, MAX_EXPECTED, MAX_LABEL, SCORE } from '../shared/feedback-limits.ts';
import { THUMBS } from '../shared/record-words.ts';
import { count, maybe, nonEmptyText, pageSchema, time } from './http/fields.ts';

const score = () =>
  Type.Number({ ...SCORE, description: `A number from ${SCORE.minimum} to ${SCORE.maximum}.` });

export const newFeedback = closed('NewFeedback', {
  request_id: nonEmptyText('`X-Request-Id` of the response.', 200),
  thumb: maybe(oneOf(THUMBS, { description: 'Whether the response was good.' })),
  score: maybe(score()),
  label: maybe(nonEmptyText('A short label, e.g. `wrong-language`.', MAX_LABEL)),
  text: maybe(nonEmptyText('A comment. Secrets are removed as from stored requests.', MAX_COMMENT)),
  expected_output: maybe(nonEmptyText('The output that the model should have returned.', MAX_EXPECTED)),
});

export const feedback = closed(
  'Feedback',
  {
    id: Type.String(),
    request_id: Type.String(),
    at: time('Time of the last change.'),
    created_at: time('Creation time.'),
    author: orNull(Type.String(), 'User who wrote it; null for the master key.'),
    thumb: orNull(oneOf(THUMBS)),
    score: orNull(Type.Number()),
    label: orNull(Type.String()),
    text: orNull(Type.String()),
    expected_output: orNull(Type.String()),
    user_id: orNull(Type.String(), 'User who was billed for the request.'),
    api_key_id: orNull(Type.String(), 'Key of the request; null for the master key.'),
    model: Type.String({ description: 'Model that responded, or that was requested.' }),
    endpoint: Type.String({ description: 'Path of the endpoint.' }),
  },
  'A judgement of a response.',
);

export const feedbackPage = pageSchema('FeedbackPage', feedback);

export const feedbackRates = Type.Array(
  closed(
    'FeedbackRate',
    {
      model: Type.String(),
      feedback: count('Number of requests with feedback, per author.'),
      up: count(),
      down: count(),
      up_rate: orNull(Type.Number({ minimum: 0, maximum: 1 }), 'Share of thumbs up; null without thumbs.'),
      scores: count('Number of scores.'),
      mean_score: orNull(Type.Number(), 'Null without scores.'),
    },
    'Feedback on one model’s responses.',
  ),
);
