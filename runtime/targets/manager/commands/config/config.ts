import {
  type CommandGroup,
  type Command,
  type Invocation,
  type Output,
  UsageError,
} from '#serve/cli/command.ts';
import { exportCommand } from '../export.ts';
import { PLUGIN_COMMANDS } from '../plugin-commands.ts';
import { groupsGroup } from './groups.ts';
import { secretValues } from './secret-values.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { MCPD_FORCE_OPTION, MCPD_CACHE_OPTIONS } from '../mcpd-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { atLeast, exactly } from '#serve/cli/positionals.ts';
import { editServerSecrets, readServerSecrets } from './server-secrets.ts';
import { configPaths } from '../../config/config-paths.ts';
import { isTable } from '../../config/table-reader.ts';
import { editServersFile } from '../edit-servers-file.ts';
import { nameAndValue } from '#serve/cli/values.ts';
import { validateCommand } from '../validate.ts';
import { REGISTRY_OPTION, openRegistries } from '../registry-option.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import { configError } from '#contract/errors.ts';

/** A kind of item that a server offers and that the configuration allows by names and patterns. */
interface NameListKind {
  readonly key: NameListKey;
  /** The option that takes a name; names can also be positional arguments. */
  readonly option: string;
}

/** The commands `set`, `list` and `remove` for one kind of name. */
const nameList = (kind: NameListKind): CommandGroup => ({
  summary: `Manage a server's allowed ${kind.key}.`,
  commands: { set: setNames(kind), list: listNames(kind), remove: removeNames(kind) },
});

const setNames = ({ key, option }: NameListKind): Command => ({
  summary: `Allow ${key} on a server, in addition to those already allowed.`,
  positionals: '<server> [name]...',
  options: {
    ...CONFIG_OPTIONS,
    ...nameOption(option),
    ...denyOption(key),
    replace: { help: 'Replace the list instead of adding to it' },
    ...(key === 'tools' ? MCPD_CACHE_OPTIONS : {}),
  },
  async run(invocation, output) {
    const { server, names } = readNames(invocation, option);
    const deny = invocation.flag('deny');
    return await writeNameList(invocation, output, {
      server,
      key,
      deny,
      change: (before) => [...new Set([...(invocation.flag('replace') ? [] : before), ...names])],
    });
  },
});

const listNames = ({ key }: NameListKind): Command => ({
  summary: `List a server's allowed ${key}.`,
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    ...denyOption(key),
    ...(key === 'tools'
      ? {
          all: { help: "List all tools that the registries list for the server's package" },
          ...REGISTRY_OPTION,
        }
      : {}),
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const list = { server, key, deny: invocation.flag('deny') };
    const showsAll = key === 'tools' && invocation.flag('all');
    const names = showsAll
      ? await knownTools(invocation, server, output)
      : await readNameList(invocation, list);
    await printData(invocation, output, { data: names, lines: () => names });
    return 0;
  },
});

const removeNames = ({ key, option }: NameListKind): Command => ({
  summary: `Remove ${key} from a server's list.`,
  positionals: '<server> [name]...',
  options: { ...CONFIG_OPTIONS, ...nameOption(option), ...denyOption(key) },
  async run(invocation, output) {
    const { server, names } = readNames(invocation, option);
    const deny = invocation.flag('deny');
    return await writeNameList(invocation, output, {
      server,
      key,
      deny,
      change: (before) => {
        refuseUnknown(names, before, `the list of ${deny ? 'denied' : 'allowed'} ${key} for ${server}`);
        return before.filter((name) => !names.includes(name));
      },
    });
  },
});

const nameOption = (option: string): Command['options'] => ({
  [option]: { value: 'name', help: 'Name, or pattern such as "get_*"', repeatable: true },
});

const denyOption = (key: NameListKey): Command['options'] => ({
  deny: { help: `Use the list of denied ${key}, which takes precedence over the allowed ${key}` },
});

function readNames(invocation: Invocation, option: string): { server: string; names: readonly string[] } {
  const { first, rest } = atLeast(invocation, '<server>');
  const names = [...rest, ...invocation.values(option)]
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new UsageError(`Missing option: --${option} <name>.`);
  return { server: first[0], names };
}

/** Returns the tools that a registry lists for the server's package. */
async function knownTools(
  invocation: Invocation,
  server: string,
  output: Output,
): Promise<readonly string[]> {
  const [{ readServersText }, { readServerKey }, { parsePackage }] = await Promise.all([
    import('../../config/read-servers-text.ts'),
    import('../../config-edit/servers-text.ts'),
    import('../../config/package-launch.ts'),
  ]);
  const { text } = await readServersText(configPaths(invocation, process.env).config);
  const written = readServerKey(text, server, 'package');
  const found = parsePackage(typeof written === 'string' ? written : '');
  const { entries } = await openRegistries(invocation, output, server);
  const entry =
    typeof found === 'string'
      ? undefined
      : entries.find(({ installations }) =>
          installations.some(
            ({ runtime, package: name }) => runtime === found.runtime && name === found.name,
          ),
        );
  if (entry) return entry.tools;
  throw configError(
    `No registry lists the package of ${server}. While the server runs, \`mcp-manager tools ${server}\` lists its tools.`,
  );
}

type NameListKey = 'tools' | 'prompts' | 'resources';

/** A server's list of names that callers can use or, with `deny`, cannot use. */
interface NameList {
  readonly server: string;
  readonly key: NameListKey;
  readonly deny: boolean;
}

async function readNameList(
  invocation: Invocation,
  { server, key, deny }: NameList,
): Promise<readonly string[]> {
  const { config } = configPaths(invocation, process.env);
  const [{ readServersText }, { readServerKey }] = await Promise.all([
    import('../../config/read-servers-text.ts'),
    import('../../config-edit/servers-text.ts'),
  ]);
  const { text } = await readServersText(config);
  return namesIn(readServerKey(text, server, fileKey(key, deny)), { key, deny });
}

/** Edits a list in the file and reports whether the file changed. Resolves with the exit code. */
async function writeNameList(
  invocation: Invocation,
  output: Output,
  {
    change,
    server,
    key,
    deny,
  }: NameList & { readonly change: (before: readonly string[]) => readonly string[] },
): Promise<number> {
  const paths = configPaths(invocation, process.env);
  const [{ editServers }, { readServerKey, setServerKey }] = await Promise.all([
    import('../../config-edit/config-editor.ts'),
    import('../../config-edit/servers-text.ts'),
  ]);
  const changed = await editServers(paths, (text) => {
    const written = readServerKey(text, server, fileKey(key, deny));
    const before = Array.isArray(written) ? written.map(String) : [];
    return setServerKey(text, server, fileKey(key, deny), [...change(before)]);
  });
  output.err(changed ? `Changed ${paths.config}.\n` : `Nothing to change in ${paths.config}.\n`);
  return 0;
}

const fileKey = (key: NameListKey, deny: boolean): string => (deny ? `deny_${key}` : key);

/** Returns the names in a list. Without a list, all prompts and resources are allowed, but no tools. */
function namesIn(written: unknown, { key, deny }: Pick<NameList, 'key' | 'deny'>): readonly string[] {
  if (Array.isArray(written)) return written.map(String);
  return deny || key === 'tools' ? [] : ['*'];
}

const getSetting: Command = {
  summary: 'Print a [daemon] setting from the file, or a table of settings.',
  positionals: '<key>',
  options: { ...CONFIG_OPTIONS, ...DATA_FORMAT_OPTION },
  async run(invocation, output) {
    const [key] = exactly(invocation, '<key>');
    return await printSetting(invocation, output, key);
  },
};

const setSettings: Command = {
  summary: 'Set [daemon] settings, e.g. api.addr=127.0.0.1:8090. Lists are comma-separated.',
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
  summary: 'List the [daemon] settings in the file.',
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
  summary: 'Remove [daemon] settings from the file to restore their defaults.',
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

const daemonGroup: CommandGroup = {
  summary: "Manage the manager's settings.",
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

/** Prints a scalar as is, and a table as `key=value` lines. */
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

const setArgs: Command = {
  summary:
    "Set a server's arguments. A flag replaces an existing flag of the same name; positional arguments replace all existing positional arguments.",
  positionals: '<server> -- <argument>...',
  options: {
    ...CONFIG_OPTIONS,
    literal: { help: 'Keep dollar signs as written instead of expanding variables' },
    // An mcpd flag for behavior that is the default in this program.
    'merge-flags': { help: 'Keep the flags that are not set', origin: 'mcpd' },
  },
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<argument>');
    const [server] = first;
    const { escapeDollars } = await import('#core/text/expand.ts');
    const { mergeArgs } = await import('../../config-edit/merge-args.ts');
    const added = [first[1], ...rest].map((arg) => (invocation.flag('literal') ? escapeDollars(arg) : arg));
    const { editArgs } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => editArgs(text, server, (args) => mergeArgs(args, added)),
    });
  },
};

const listArgs: Command = {
  summary: "List a server's arguments.",
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    reveal: { help: 'Show values that look like secrets' },
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { maskArgs } = await import('../../config/mask-values.ts');
    const { args } = await readServerSecrets(invocation, server);
    const shown = invocation.flag('reveal') ? args : maskArgs(args);
    await printData(invocation, output, { data: shown, lines: () => shown });
    return 0;
  },
};

const removeArgs: Command = {
  summary: 'Remove arguments from a server: flags by name, positional arguments by value.',
  positionals: '<server> -- <argument>...',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<argument>');
    const [server, name] = first;
    const { withoutArgs } = await import('../../config-edit/merge-args.ts');
    const { editArgs } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => editArgs(text, server, (args) => withoutArgs(args, [name, ...rest])),
    });
  },
};

const clearArgs: Command = {
  summary: "Remove all of a server's arguments.",
  positionals: '<server>',
  options: { ...CONFIG_OPTIONS, ...MCPD_FORCE_OPTION },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { removeSecrets } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => removeSecrets(text, server, 'args'),
    });
  },
};

const argsGroup: CommandGroup = {
  summary: "Manage a server's arguments in the secrets file.",
  commands: { set: setArgs, list: listArgs, remove: removeArgs, clear: clearArgs },
};

/** `config`: edits individual settings in the configuration files. */
export const configGroup: CommandGroup = {
  summary: 'Edit the configuration of a server or of the manager.',
  commands: {
    args: argsGroup,
    env: secretValues({ table: 'env', nouns: 'variables', pair: 'NAME=value', areHidden: true }),
    headers: secretValues({ table: 'headers', nouns: 'headers', pair: 'Name=value', areHidden: true }),
    credentials: secretValues({
      table: 'credentials',
      nouns: 'credentials',
      pair: 'scheme=value',
      areHidden: true,
    }),
    volumes: secretValues({ table: 'volumes', nouns: 'volumes', pair: 'name=folder', areHidden: false }),
    tools: nameList({ key: 'tools', option: 'tool' }),
    prompts: nameList({ key: 'prompts', option: 'prompt' }),
    resources: nameList({ key: 'resources', option: 'resource' }),
    groups: groupsGroup,
    daemon: daemonGroup,
    plugins: { summary: 'Manage plugins, which process requests and responses.', commands: PLUGIN_COMMANDS },
    export: exportCommand,
  },
};
