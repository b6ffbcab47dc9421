import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import type { PluginSpec } from '../../config/plugin-settings.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { readPlugins } from './read-plugins.ts';
import { CATEGORY_OPTION } from './options.ts';
import { pushAll } from '#core/values/push-all.ts';

export const validatePluginsCommand: Command = {
  summary: 'Validate the plugin configuration; --check-binaries also checks that the files exist.',
  options: {
    ...CONFIG_OPTIONS,
    ...CATEGORY_OPTION,
    'check-binaries': { help: 'Check that programs and modules exist on this machine' },
    verbose: {
      help: 'Accepted for compatibility with mcpd; all problems are always printed',
      origin: 'mcpd',
    },
    ...DATA_FORMAT_OPTION,
  },
  async run(invocation, output) {
    exactly(invocation);
    const { readPluginSettings } = await import('../../config/read-plugins.ts');
    const { pluginsTable } = await import('../../config-edit/plugins-table.ts');
    const { text, path } = await readPlugins(invocation);
    const wanted = invocation.value('category');
    const problems: string[] = [];
    const { plugins } = readPluginSettings(pluginsTable(text), ([, category], message) => {
      if (wanted === undefined || category === wanted) problems.push(message);
    });
    const selected = plugins.filter(({ category }) => wanted === undefined || category === wanted);
    if (invocation.flag('check-binaries')) {
      const missing = await Promise.all(selected.map((plugin) => problemOnDisk(plugin, dirname(path))));
      pushAll(
        problems,
        missing.filter((problem) => problem !== undefined),
      );
    }
    const valid = problems.length === 0;
    const count = selected.length === 1 ? '1 plugin' : `${selected.length} plugins`;
    await printData(invocation, output, {
      data: { valid, plugins: selected.map(({ category, name }) => ({ category, name })), problems },
      lines: () => (valid ? [`${path} is valid: ${count}.`] : problems),
    });
    return valid ? 0 : EXIT_FAILED;
  },
};

async function problemOnDisk(
  { category, name, launch }: PluginSpec,
  folder: string,
): Promise<string | undefined> {
  try {
    if (launch.kind === 'exec') {
      const { checkExecutable } = await import('../../plugins/kinds/check-executable.ts');
      await checkExecutable(resolve(folder, launch.dir, name));
    }
    const file = launch.kind === 'js' ? resolve(folder, launch.path) : undefined;
    if (file === undefined || existsSync(file)) return undefined;
    throw configError(`${file} does not exist. Correct its path.`);
  } catch (error) {
    return `${category} plugin ${JSON.stringify(name)}: ${messageOf(error)}`;
  }
}
