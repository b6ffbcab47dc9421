import type { Command } from '#serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { readPlugins } from './read-plugins.ts';
import { CATEGORY_OPTION } from './options.ts';

export const listPluginsCommand: Command = {
  summary: 'List the plugins in execution order.',
  options: { ...CONFIG_OPTIONS, ...CATEGORY_OPTION, ...DATA_FORMAT_OPTION },
  async run(invocation, output) {
    exactly(invocation);
    const { listPlugins } = await import('../../config-edit/plugins-table.ts');
    const { text } = await readPlugins(invocation);
    const wanted = invocation.value('category');
    const entries = listPlugins(text).filter(({ category }) => category === (wanted ?? category));
    await printData(invocation, output, {
      data: entries.map((entry) => ({ category: entry.category, ...entry.table })),
      lines: () => entries.map((entry) => `${entry.category} ${entry.name}${factsOf(entry.table)}`),
    });
    return 0;
  },
};

const factsOf = ({ flows, required }: Readonly<Record<string, unknown>>): string =>
  `${Array.isArray(flows) ? ` ${flows.join(',')}` : ''}${required === true ? ' required' : ''}`;
