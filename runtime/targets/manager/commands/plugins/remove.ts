import type { Command } from '#serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { editServersFile } from '../edit-servers-file.ts';
import { PLUGIN_OPTIONS, pluginOf } from './options.ts';

export const removePluginCommand: Command = {
  summary: 'Remove a plugin.',
  options: { ...CONFIG_OPTIONS, ...PLUGIN_OPTIONS },
  async run(invocation, output) {
    exactly(invocation);
    const id = pluginOf(invocation);
    const { removePlugin } = await import('../../config-edit/plugins-text.ts');
    return await editServersFile(invocation, output, (text) => removePlugin(text, id));
  },
};
