import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { AuditRow } from '../../store/record-schema.ts';
import { formatSecond, orDash } from '../show/format-values.ts';

/** Formats a table with a line for each event. */
export const eventLines = (events: readonly AuditRow[]): string[] =>
  formatTable(COLUMNS, events.map(rowOf), stdoutTerminal());

const COLUMNS = ['TIME', 'ACTOR', 'ADDRESS', 'ACTION', 'OBJECT', 'OUTCOME', 'CHANGE'];
const STYLES: Readonly<Record<string, 'green' | 'red' | 'yellow'>> = {
  success: 'green',
  failed: 'red',
  refused: 'yellow',
};

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
