import { type Command, UsageError } from '../../../../serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { exactly } from '../../../../serve/cli/positionals.ts';
import { editPlugins } from './edit.ts';
import { ENTRY_OPTIONS, entryFrom, PLUGIN_OPTIONS, pluginOf } from './options.ts';

const ABOUT_ONE = [...Object.keys(PLUGIN_OPTIONS), ...Object.keys(ENTRY_OPTIONS)];

export const setPluginCommand: Command = {
  summary: 'Set the folder of plugins with --dir, or what is said of one of them.',
  options: {
    ...CONFIG_OPTIONS,
    dir: { value: 'folder', help: 'Where programs of plugins are' },
    ...PLUGIN_OPTIONS,
    ...ENTRY_OPTIONS,
  },
  async run(invocation, output) {
    exactly(invocation);
    const dir = invocation.value('dir');
    if (dir === undefined) {
      const id = pluginOf(invocation);
      const values = entryFrom(invocation);
      const { putPlugin } = await import('../../config-edit/plugins-text.ts');
      return await editPlugins(invocation, output, (text) => putPlugin(text, id, values));
    }
    const extra = ABOUT_ONE.find((option) => invocation.given(option));
    if (extra !== undefined)
      throw new UsageError(`--dir is for all plugins and does not go with --${extra}.`);
    if (dir.trim() === '') throw new UsageError('--dir is empty. Name the folder.');
    const { editTable } = await import('../../config-edit/edit-table.ts');
    return await editPlugins(invocation, output, (text) => editTable(text, ['plugins'], 'dir', dir));
  },
};
