import type { formatTable } from '#serve/cli/table.ts';
import { usageStatusOf } from '../../accounts/ledger/ledger.ts';
import type { UsageRow } from '../../store/schema.ts';

type Cell = Parameters<typeof formatTable>[1][number][number];

/** The outcome of a request in a table. */
export function statusCell(row: Pick<UsageRow, 'status' | 'status_code'>): Cell {
  const status = usageStatusOf(row.status);
  if (status === 'error') return { text: `error ${row.status_code ?? ''}`, style: 'red' };
  if (status === 'success') return { text: status, style: 'green' };
  return { text: status, style: status === 'interrupted' ? 'red' : 'dim' };
}
