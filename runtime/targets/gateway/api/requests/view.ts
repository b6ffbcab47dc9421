import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { LiveRequest } from '../../requests/completions/completion.ts';
import type { liveRequests } from './schemas.ts';

export const liveRequestView = (one: LiveRequest, now: number): Static<typeof liveRequests>[number] => ({
  request_id: one.requestId,
  endpoint: one.endpoint,
  started_at: rfc3339(one.startedAt),
  duration_ms: Math.max(0, Math.round(now - one.startedAt)),
  user_id: one.userId ?? null,
  api_key_id: one.keyId ?? null,
  team_id: one.teamId ?? null,
  model: one.model ?? null,
  attempts: one.attempts.map(({ target, outcome, failure, durationMs }) => ({
    model: target,
    outcome,
    failure: failure ?? null,
    duration_ms: Math.max(0, Math.round(durationMs)),
  })),
});
