import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { providerView } from '../../api/views/models.ts';
import type { EntryStatus, ProviderEntry } from '../../registry/registry.ts';
import { orDash } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';
import { providersOf } from './providers-of.ts';
import { addressText } from './show-provider.ts';

export const listProvidersCommand = storeCommand({
  summary: 'List the providers of the configuration file and of the database.',
  options: {},
  needsMasterKey: true,
  prepare: () => async (context) => {
    const { output, json } = context;
    const all = await (await providersOf(context)).list();
    if (json) return printJson(output, all.map(providerView));
    if (all.length === 0)
      return output.err('There are no providers. Create one with `gateway providers create`.\n');
    return printLines(output, formatTable(COLUMNS, all.map(rowOf), stdoutTerminal()));
  },
});

const COLUMNS = ['NAME', 'SOURCE', 'STATUS', 'TYPE', 'ADDRESS', 'USED BY'];

const rowOf = (entry: ProviderEntry): Parameters<typeof formatTable>[1][number] => [
  entry.name,
  entry.source,
  statusCell(entry.status),
  orDash(entry.value?.type ?? null),
  addressText(entry),
  entry.usedBy.join(', ') || '-',
];

export const statusCell = (status: EntryStatus) => ({ text: status, style: STYLES[status] }) as const;

const STYLES = { active: 'green', shadowed: 'dim', invalid: 'red' } as const;
