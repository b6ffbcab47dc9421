import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { alertData } from '../../alerts/alert-message.ts';
import { ALERT_STATES } from '../../alerts/alert-states.ts';
import type { AlertRow } from '../../store/record-schema.ts';
import { rfc3339OrNull } from '../http/values.ts';
import type { alert } from './schemas.ts';

export function alertView(row: AlertRow): Static<typeof alert> {
  const { id, message, account, ...data } = alertData(row);
  return {
    id,
    type: row.threshold === null ? 'budget.request_refused' : 'budget.threshold_reached',
    message,
    account,
    ...data,
    created_at: rfc3339(row.created_at),
    state: ALERT_STATES.find((known) => known === row.state) ?? 'pending',
    attempts: row.attempts,
    next_attempt_at: row.state === 'pending' ? rfc3339(row.next_attempt_at) : null,
    sent_at: rfc3339OrNull(row.sent_at),
    problem: row.problem,
  };
}
