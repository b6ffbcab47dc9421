import { type Command, UsageError } from '#serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { editServersFile } from '../edit-servers-file.ts';
import { ENTRY_OPTIONS, entryFrom, PLUGIN_OPTIONS, pluginOf } from './options.ts';

/** Options that apply to a single plugin and therefore conflict with --dir. */
const SINGLE_PLUGIN_OPTIONS = [...Object.keys(PLUGIN_OPTIONS), ...Object.keys(ENTRY_OPTIONS)];

export const setPluginCommand: Command = {
  summary: 'Change a plugin, or with --dir the plugin folder.',
  options: {
    ...CONFIG_OPTIONS,
    dir: { value: 'folder', help: 'Folder with the plugin programs' },
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
      return await editServersFile(invocation, output, (text) => putPlugin(text, id, values));
    }
    const extra = SINGLE_PLUGIN_OPTIONS.find((option) => invocation.given(option));
    if (extra !== undefined)
      throw new UsageError(`--dir applies to all plugins and conflicts with --${extra}; use one of them.`);
    if (dir.trim() === '') throw new UsageError('--dir must not be empty.');
    const { editTable } = await import('../../config-edit/edit-table.ts');
    return await editServersFile(invocation, output, (text) => editTable(text, ['plugins'], 'dir', dir));
  },
};
