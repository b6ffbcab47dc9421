import { configError } from '../../../../contract/errors.ts';
import { type Command, type Invocation, UsageError } from '../../../../serve/cli/command.ts';
import type { PluginPlace } from '../../config-edit/plugins-text.ts';
import { PLUGIN_CATEGORIES } from '../../config/plugin-settings.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { exactly } from '../../../../serve/cli/positionals.ts';
import { editPlugins } from './edit.ts';
import { categoryOf, PLUGIN_OPTIONS, pluginOf } from './options.ts';

export const movePluginCommand: Command = {
  summary: 'Move a plugin among those of its category, or to another one.',
  options: {
    ...CONFIG_OPTIONS,
    ...PLUGIN_OPTIONS,
    'to-category': { value: 'category', help: 'Its new category', choices: PLUGIN_CATEGORIES },
    before: { value: 'name', help: 'The plugin it is to come before' },
    after: { value: 'name', help: 'The plugin it is to come after' },
    position: { value: 'number', help: 'Its place, from 1 on; -1 is the end' },
    force: { help: 'Replace the plugin of its name in the new category' },
  },
  async run(invocation, output) {
    exactly(invocation);
    const id = pluginOf(invocation);
    const place = placeFrom(invocation);
    const to = invocation.given('to-category') ? categoryOf(invocation, 'to-category') : id.category;
    const { movePlugin, removePlugin } = await import('../../config-edit/plugins-text.ts');
    const { listPlugins } = await import('../../config-edit/plugins-table.ts');
    return await editPlugins(invocation, output, (text) => {
      const twin = { category: to, name: id.name };
      const hasTwin = listPlugins(text).some(({ category, name }) => category === to && name === id.name);
      if (to === id.category || !hasTwin) return movePlugin(text, id, to, place);
      if (!invocation.flag('force')) {
        throw configError(
          `plugins.${to} has a plugin ${JSON.stringify(id.name)} already. Replace it with --force, or remove it.`,
        );
      }
      return movePlugin(removePlugin(text, twin), id, to, place);
    });
  },
};

function placeFrom(invocation: Invocation): PluginPlace {
  const given = ['before', 'after', 'position'].filter((option) => invocation.given(option));
  if (given.length > 1) throw new UsageError(`--${given[0]} and --${given[1]} do not go together.`);
  if (given.length === 0 && !invocation.given('to-category')) {
    throw new UsageError('Where to? Give --to-category, --before, --after or --position.');
  }
  const position = invocation.value('position');
  if (position !== undefined && !/^(?:-1|[1-9]\d*)$/.test(position)) {
    throw new UsageError(`--position: ${JSON.stringify(position)} is neither a number from 1 on nor -1.`);
  }
  return {
    before: invocation.value('before'),
    after: invocation.value('after'),
    position: position === undefined ? undefined : Number(position),
  };
}
