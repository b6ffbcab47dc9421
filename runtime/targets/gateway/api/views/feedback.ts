import { rfc3339 } from '#core/time/rfc3339.ts';
import type { FeedbackRate } from '../../accounts/feedback/feedback-log.ts';
import type { FeedbackRow } from '../../store/record-schema.ts';

export const feedbackView = (row: FeedbackRow) => ({
  id: row.id,
  request_id: row.request_id,
  at: rfc3339(row.at),
  created_at: rfc3339(row.created_at),
  author: row.author,
  thumb: row.thumb,
  score: row.score,
  label: row.label,
  text: row.text,
  expected_output: row.expected_output,
  user_id: row.user_id,
  api_key_id: row.api_key_id,
  model: row.model,
  endpoint: row.endpoint,
});

export const feedbackRateView = ({ model, feedback, up, down, scores, meanScore }: FeedbackRate) => ({
  model,
  feedback,
  up,
  down,
  up_rate: up + down === 0 ? null : up / (up + down),
  scores,
  mean_score: meanScore,
});
