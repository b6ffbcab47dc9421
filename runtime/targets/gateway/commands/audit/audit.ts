import { UsageError } from '#serve/cli/command.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { auditEventView } from '../../api/views/records.ts';
import { storeCommand } from '../store/store-command.ts';
import { AUDIT_OPTIONS, filterOf } from './audit-options.ts';
import { eventLines } from './event-lines.ts';

export const auditCommand = storeCommand({
  summary: 'Show who changed what, and refused attempts.',
  options: AUDIT_OPTIONS,
  prepare(invocation) {
    const filter = filterOf(invocation, Date.now());
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const asCsv = invocation.flag('csv');
    if (asCsv && invocation.flag('json'))
      throw new UsageError('--csv conflicts with --json; use one of them.');
    return async ({ state: { auditLog }, output, json }) => {
      if (asCsv) {
        for await (const line of auditLog.csv(filter)) output.out(line);
        return;
      }
      const { total, events } = await auditLog.list(filter, { skip: 0, limit });
      if (json) printJson(output, { total, items: events.map(auditEventView) });
      else if (events.length === 0) output.err('No events found.\n');
      else printLines(output, eventLines(events));
    };
  },
});
