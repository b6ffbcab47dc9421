import { configError } from '#contract/errors.ts';
import { type Command, type Invocation, UsageError } from '#serve/cli/command.ts';
import type { PluginPosition } from '../../config-edit/plugins-text.ts';
import { PLUGIN_CATEGORIES } from '../../config/plugin-settings.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { editServersFile } from '../edit-servers-file.ts';
import { categoryOf, PLUGIN_OPTIONS, pluginOf } from './options.ts';

export const movePluginCommand: Command = {
  summary: 'Move a plugin within its category, or to another category.',
  options: {
    ...CONFIG_OPTIONS,
    ...PLUGIN_OPTIONS,
    'to-category': { value: 'category', help: 'New category', choices: PLUGIN_CATEGORIES },
    before: { value: 'name', help: 'Move it before this plugin' },
    after: { value: 'name', help: 'Move it after this plugin' },
    position: { value: 'number', help: 'New position, starting at 1; -1 means last' },
    force: { help: 'Replace a plugin with the same name in the new category' },
  },
  async run(invocation, output) {
    exactly(invocation);
    const id = pluginOf(invocation);
    const position = positionFrom(invocation);
    const to = invocation.given('to-category') ? categoryOf(invocation, 'to-category') : id.category;
    const { movePlugin, removePlugin } = await import('../../config-edit/plugins-text.ts');
    const { listPlugins } = await import('../../config-edit/plugins-table.ts');
    return await editServersFile(invocation, output, (text) => {
      const twin = { category: to, name: id.name };
      const hasTwin = listPlugins(text).some(({ category, name }) => category === to && name === id.name);
      if (to === id.category || !hasTwin) return movePlugin(text, id, to, position);
      if (!invocation.flag('force')) {
        throw configError(
          `plugins.${to} already contains a plugin ${JSON.stringify(id.name)}. Pass --force to replace it, or remove it.`,
        );
      }
      return movePlugin(removePlugin(text, twin), id, to, position);
    });
  },
};

function positionFrom(invocation: Invocation): PluginPosition {
  const options = ['before', 'after', 'position'].filter((option) => invocation.given(option));
  if (options.length > 1) {
    throw new UsageError(`--${options[0]} conflicts with --${options[1]}; use one of them.`);
  }
  if (options.length === 0 && !invocation.given('to-category')) {
    throw new UsageError('Missing option: pass --to-category, --before, --after or --position.');
  }
  const position = invocation.value('position');
  if (position !== undefined && !/^(?:-1|[1-9]\d*)$/.test(position)) {
    throw new UsageError(`--position: ${JSON.stringify(position)} is not a positive whole number or -1.`);
  }
  return {
    before: invocation.value('before'),
    after: invocation.value('after'),
    position: position === undefined ? undefined : Number(position),
  };
}
