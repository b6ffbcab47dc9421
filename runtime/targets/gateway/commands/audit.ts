import { lookup } from '#core/values/lookup.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines, stdoutTerminal, printText } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import type { AuditFilter } from '../accounts/audit/audit-log.ts';
import { auditEventView } from '../api/views/records.ts';
import { ACTORS, OUTCOMES } from '../shared/record-words.ts';
import type { AuditRow } from '../store/record-schema.ts';
import { pastRangeOf } from './options/time-options.ts';
import { formatSecond, orDash } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';

const AUDIT_OPTIONS = {
  actor: { value: 'kind', help: 'Only events by this kind of actor', choices: ACTORS },
  'actor-id': { value: 'id', help: 'Only events by this key ID or operating system user' },
  action: {
    value: 'action',
    help: 'Only this action, e.g. key.update, or all actions on a kind of object, e.g. key',
  },
  object: { value: 'id', help: 'Only events for this object' },
  outcome: { value: 'outcome', help: 'Only events with this outcome', choices: OUTCOMES },
  address: { value: 'address', help: 'Only events from this address' },
  'request-id': { value: 'id', help: 'Only the request with this X-Request-Id' },
  from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
  to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
  ...commonOptions({ limit: { help: 'Maximum number of events', fallback: '20' } }),
  csv: { help: 'Print all matching events as CSV, oldest first' },
} satisfies Readonly<Record<string, Option>>;

const filterOf = (invocation: Invocation, now: number): AuditFilter => ({
  actor: ACTORS.find((kind) => kind === invocation.value('actor')),
  actorId: invocation.value('actor-id'),
  action: invocation.value('action'),
  object: invocation.value('object'),
  outcome: OUTCOMES.find((known) => known === invocation.value('outcome')),
  address: invocation.value('address'),
  requestId: invocation.value('request-id'),
  ...pastRangeOf(invocation, now),
});

/** Formats a table with one line per event. */
const eventLines = (events: readonly AuditRow[]): string[] =>
  formatTable(COLUMNS, events.map(rowOf), stdoutTerminal());

const COLUMNS = ['TIME', 'ACTOR', 'ADDRESS', 'ACTION', 'OBJECT', 'OUTCOME', 'CHANGE'];
const STYLES = lookup<'green' | 'red' | 'yellow'>({
  success: 'green',
  failed: 'red',
  refused: 'yellow',
});

const rowOf = (event: AuditRow): Parameters<typeof formatTable>[1][number] => [
  formatSecond(event.at),
  event.actor_id === null ? event.actor : `${event.actor} ${event.actor_id}`,
  orDash(event.address),
  event.action,
  orDash(event.object),
  outcomeOf(event),
  event.before === null && event.after === null ? '-' : `${event.before ?? ''} → ${event.after ?? ''}`,
];

function outcomeOf({ outcome, reason, count }: AuditRow) {
  const times = count > 1 ? ` ×${count}` : '';
  const style = STYLES[outcome];
  const text = `${outcome}${reason === null ? '' : ` (${reason})`}${times}`;
  return style === undefined ? text : { text, style };
}

export const auditCommand = storeCommand({
  summary: 'Show who changed what, and rejected attempts.',
  options: AUDIT_OPTIONS,
  prepare(invocation) {
    const filter = filterOf(invocation, Date.now());
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const asCsv = invocation.flag('csv');
    if (asCsv && invocation.flag('json'))
      throw new UsageError('--csv conflicts with --json; use one of them.');
    return async ({ state: { auditLog }, output, json }) => {
      if (asCsv) {
        for await (const line of auditLog.csv(filter)) printText(output, line);
        return;
      }
      const { total, events } = await auditLog.list(filter, { skip: 0, limit });
      if (json) printJson(output, { total, items: events.map(auditEventView) });
      else if (events.length === 0) output.err('No events found.\n');
      else printLines(output, eventLines(events));
    };
  },
});
