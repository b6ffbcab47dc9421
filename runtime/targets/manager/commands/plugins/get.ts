import type { Command } from '#serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { readPlugins } from './read-plugins.ts';
import { PLUGIN_OPTIONS, pluginOf } from './options.ts';

export const getPluginCommand: Command = {
  summary: 'Print the configuration of a plugin; without --category and --name, the plugin folder.',
  options: { ...CONFIG_OPTIONS, ...PLUGIN_OPTIONS, ...DATA_FORMAT_OPTION },
  async run(invocation, output) {
    exactly(invocation);
    const isOne = invocation.given('category') || invocation.given('name');
    const id = isOne ? pluginOf(invocation) : undefined;
    const { findPlugin, pluginFolder } = await import('../../config-edit/plugins-table.ts');
    const { text } = await readPlugins(invocation);
    const data = id
      ? { category: id.category, ...findPlugin(text, id).table }
      : { dir: pluginFolder(text) ?? null };
    await printData(invocation, output, {
      data,
      lines: () =>
        Object.entries(data).flatMap(([key, value]) => (value === null ? [] : [`${key}=${shown(value)}`])),
    });
    return 0;
  },
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
