import { type Command, type CommandGroup, type Invocation, UsageError } from '#serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { MCPD_CACHE_OPTIONS } from '../mcpd-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { atLeast, exactly } from '#serve/cli/positionals.ts';
import { REGISTRY_OPTION } from '../registry-option.ts';
import { type NameListKey, readNameList, writeNameList } from './edit-name-list.ts';
import { knownTools } from './known-tools.ts';
import { refuseUnknown } from './refuse-unknown.ts';

/** A kind of things that a server offers and that the configuration allows by names and patterns. */
export interface NameListKind {
  readonly key: NameListKey;
  /** The option for a name; names can also be positional arguments. */
  readonly option: string;
}

/** The commands `set`, `list` and `remove` for one kind of names. */
export const nameList = (kind: NameListKind): CommandGroup => ({
  summary: `Manage the allowed ${kind.key} of a server.`,
  commands: { set: setNames(kind), list: listNames(kind), remove: removeNames(kind) },
});

const setNames = ({ key, option }: NameListKind): Command => ({
  summary: `Allow ${key} of a server, in addition to those in the list.`,
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
  summary: `List the allowed ${key} of a server.`,
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    ...denyOption(key),
    ...(key === 'tools'
      ? {
          all: { help: 'List all tools of the package of the server, from the registries' },
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
  summary: `Remove ${key} of a server from the list.`,
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
        refuseUnknown(names, before, `the list of ${deny ? 'denied' : 'allowed'} ${key} of ${server}`);
        return before.filter((name) => !names.includes(name));
      },
    });
  },
});

const nameOption = (option: string): Command['options'] => ({
  [option]: { value: 'name', help: 'Name, or pattern such as "get_*"', repeatable: true },
});

const denyOption = (key: NameListKey): Command['options'] => ({
  deny: { help: `Use the list of denied ${key}, which takes precedence over allowed ones` },
});

function readNames(invocation: Invocation, option: string): { server: string; names: readonly string[] } {
  const { first, rest } = atLeast(invocation, '<server>');
  const names = [...rest, ...invocation.values(option)]
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new UsageError(`Missing option: --${option} <name>.`);
  return { server: first[0], names };
}
