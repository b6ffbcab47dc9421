import type { Static } from 'typebox';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { AuditRow } from '../../store/record-schema.ts';
import { ACTORS, OUTCOMES } from './query.ts';
import type { auditPage } from './schemas.ts';

export const auditEventView = ({
  at,
  before,
  after,
  actor,
  outcome,
  ...row
}: AuditRow): Static<typeof auditPage>['items'][number] => ({
  ...row,
  at: rfc3339(at),
  actor: ACTORS.find((known) => known === actor) ?? 'anyone',
  outcome: OUTCOMES.find((known) => known === outcome) ?? 'success',
  before: stateOf(before),
  after: stateOf(after),
});

const stateOf = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : { ...membersOf(parseJsonText(text)) };
