import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { aliasView } from '../../api/views/models.ts';
import type { AliasEntry } from '../../registry/registry.ts';
import { statusCell } from '../providers/list.ts';
import { storeCommand } from '../store/store-command.ts';
import { aliasesOf } from './aliases-of.ts';
import { targetsText } from './show-alias.ts';

export const listAliasesCommand = storeCommand({
  summary: 'List the aliases of the configuration file and of the database.',
  options: {},
  needsMasterKey: true,
  prepare: () => async (context) => {
    const { output, json } = context;
    const all = await aliasesOf(context).list();
    if (json) return printJson(output, all.map(aliasView));
    if (all.length === 0)
      return output.err('There are no aliases. Create one with `gateway aliases create`.\n');
    return printLines(output, formatTable(COLUMNS, all.map(rowOf), stdoutTerminal()));
  },
});

const COLUMNS = ['NAME', 'SOURCE', 'STATUS', 'TARGETS', 'STRATEGY', 'FALLBACKS'];

function rowOf(entry: AliasEntry): Parameters<typeof formatTable>[1][number] {
  const { strategy, fallbacks } = aliasView(entry);
  const { name, source, status } = entry;
  return [name, source, statusCell(status), targetsText(entry), strategy, fallbacks.join(', ') || '-'];
}
