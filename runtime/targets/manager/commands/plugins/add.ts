import { type Command, UsageError } from '#serve/cli/command.ts';
import { configError } from '#contract/errors.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { editServersFile } from '../edit-servers-file.ts';
import { CATEGORY_OPTION, categoryOf, ENTRY_OPTIONS, entryFrom } from './options.ts';

export const addPluginCommand: Command = {
  summary: 'Add a plugin at the end of its category.',
  positionals: '<name>',
  options: { ...CONFIG_OPTIONS, ...CATEGORY_OPTION, ...ENTRY_OPTIONS },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<name>');
    const category = categoryOf(invocation);
    if (!invocation.given('flow')) {
      throw new UsageError('Missing option: --flow. Pass --flow request, --flow response or both.');
    }
    const { addPlugin } = await import('../../config-edit/plugins-text.ts');
    const { listPlugins } = await import('../../config-edit/plugins-table.ts');
    return await editServersFile(invocation, output, (text) => {
      if (listPlugins(text).some((entry) => entry.category === category && entry.name === name)) {
        throw configError(
          `plugins.${category} already contains a plugin ${JSON.stringify(name)}. Change it with \`config plugins set\`.`,
        );
      }
      return addPlugin(text, category, { name, ...entryFrom(invocation) });
    });
  },
};
