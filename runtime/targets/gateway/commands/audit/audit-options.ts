import { commonOptions } from '#serve/cli/common-options.ts';
import type { Invocation, Option } from '#serve/cli/command.ts';
import type { AuditFilter } from '../../accounts/audit/audit-log.ts';
import { ACTORS, OUTCOMES } from '../../shared/audit-words.ts';
import { pastTimeOf } from '../options/time-options.ts';

export const AUDIT_OPTIONS = {
  actor: { value: 'kind', help: 'Only events of this kind of actor', choices: ACTORS },
  'actor-id': { value: 'id', help: 'Only events of this key id or user of the operating system' },
  action: { value: 'action', help: 'Only this action, e.g. key.update, or all of a kind, e.g. key' },
  object: { value: 'id', help: 'Only events of this object' },
  outcome: { value: 'outcome', help: 'Only events with this outcome', choices: OUTCOMES },
  address: { value: 'address', help: 'Only events from this address' },
  'request-id': { value: 'id', help: 'Only the request with this X-Request-Id' },
  from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
  to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
  ...commonOptions({ limit: { help: 'Maximum number of events', fallback: '20' } }),
  csv: { help: 'Print all matching events as CSV, oldest first' },
} satisfies Readonly<Record<string, Option>>;

export const filterOf = (invocation: Invocation, now: number): AuditFilter => ({
  actor: ACTORS.find((kind) => kind === invocation.value('actor')),
  actorId: invocation.value('actor-id'),
  action: invocation.value('action'),
  object: invocation.value('object'),
  outcome: OUTCOMES.find((known) => known === invocation.value('outcome')),
  address: invocation.value('address'),
  requestId: invocation.value('request-id'),
  from: pastTimeOf(invocation, 'from', now),
  to: pastTimeOf(invocation, 'to', now),
});
