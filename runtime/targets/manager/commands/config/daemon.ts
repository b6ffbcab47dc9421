import type { Command, CommandGroup, Invocation, Output } from '#serve/cli/command.ts';
import { configPaths } from '../../config/config-paths.ts';
import { isTable } from '../../config/table-reader.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { editServersFile } from '../edit-servers-file.ts';
import { nameAndValue } from '#serve/cli/name-and-value.ts';
import { atLeast, exactly } from '#serve/cli/positionals.ts';
import { validateCommand } from '../validate.ts';

const getSetting: Command = {
  summary: 'Print a setting of [daemon] in the file, or a table of settings.',
  positionals: '<key>',
  options: { ...CONFIG_OPTIONS, ...DATA_FORMAT_OPTION },
  async run(invocation, output) {
    const [key] = exactly(invocation, '<key>');
    return await printSetting(invocation, output, key);
  },
};

const setSettings: Command = {
  summary: 'Set settings of [daemon], e.g. api.addr=127.0.0.1:8090. Lists are comma-separated.',
  positionals: '<key>=<value>...',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<key>=<value>');
    const pairs = [first[0], ...rest].map((text) => nameAndValue(text));
    const { setDaemonKey } = await import('../../config-edit/daemon-text.ts');
    return await editServersFile(invocation, output, (text) =>
      pairs.reduce((edited, [key, value]) => setDaemonKey(edited, key, value), text),
    );
  },
};

const listSettings: Command = {
  summary: 'List the settings of [daemon] in the file.',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    available: { help: 'List the keys of all supported settings instead' },
  },
  async run(invocation, output) {
    if (!invocation.flag('available')) return await printSetting(invocation, output, '');
    const { daemonKeys } = await import('../../config-edit/daemon-text.ts');
    const keys = daemonKeys();
    await printData(invocation, output, { data: keys, lines: () => keys });
    return 0;
  },
};

const removeSettings: Command = {
  summary: 'Remove settings of [daemon] from the file, which restores their defaults.',
  positionals: '<key>...',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<key>');
    const { removeDaemonKey } = await import('../../config-edit/daemon-text.ts');
    return await editServersFile(invocation, output, (text) =>
      [first[0], ...rest].reduce(removeDaemonKey, text),
    );
  },
};

export const daemonGroup: CommandGroup = {
  summary: 'Manage the settings of the manager.',
  commands: {
    get: getSetting,
    set: setSettings,
    list: listSettings,
    remove: removeSettings,
    validate: validateCommand,
  },
};

async function printSetting(invocation: Invocation, output: Output, key: string): Promise<number> {
  const { readDaemonKey } = await import('../../config-edit/daemon-text.ts');
  const { readServersText } = await import('../../config/read-servers-text.ts');
  const { text } = await readServersText(configPaths(invocation, process.env).config);
  const data = readDaemonKey(text, key) ?? null;
  await printData(invocation, output, { data, lines: () => settingLines(data) });
  return 0;
}

/** Prints a value as it is, and a table as one `key=value` line per value. */
function settingLines(value: unknown, key = ''): string[] {
  if (value === null) return [];
  if (isTable(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      settingLines(inner, key === '' ? name : `${key}.${name}`),
    );
  }
  const text =
    typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
  return [key === '' ? text : `${key}=${text}`];
}
