import {
  type Command,
  type CommandGroup,
  type Invocation,
  UsageError,
} from '../../../../serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { atLeast, exactly } from '../../../../serve/cli/positionals.ts';
import { REGISTRY_OPTION } from '../registry-option.ts';
import { type NameListKey, readNameList, writeNameList } from './edit-name-list.ts';
import { knownTools } from './known-tools.ts';
import { refuseUnknown } from './refuse-unknown.ts';

/** What is offered of a server, by names and patterns. */
export interface NameListKind {
  readonly key: NameListKey;
  /** The option that takes one; names may also stand without it. */
  readonly option: string;
}

/** `set`, `list` and `remove` of one list. */
export const nameList = (kind: NameListKind): CommandGroup => ({
  summary: `The ${kind.key} of a server that may be used.`,
  commands: { set: setNames(kind), list: listNames(kind), remove: removeNames(kind) },
});

const setNames = ({ key, option }: NameListKind): Command => ({
  summary: `Allow ${key} of a server; those that are allowed stay so.`,
  positionals: '<server> [name]...',
  options: {
    ...CONFIG_OPTIONS,
    ...nameOption(option),
    ...denyOption(key),
    replace: { help: 'Instead of those that are in the list' },
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
  summary: `List the ${key} of a server that may be used.`,
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    ...denyOption(key),
    ...(key === 'tools'
      ? { all: { help: 'List all tools a registry knows of its package' }, ...REGISTRY_OPTION }
      : {}),
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const list = { server, key, deny: invocation.flag('deny') };
    const showsAll = key === 'tools' && invocation.flag('all');
    const names = showsAll ? await knownTools(invocation, server) : await readNameList(invocation, list);
    await printData(invocation, output, { data: names, lines: () => names });
    return 0;
  },
});

const removeNames = ({ key, option }: NameListKind): Command => ({
  summary: `Take ${key} of a server out of the list.`,
  positionals: '<server> [name]...',
  options: { ...CONFIG_OPTIONS, ...nameOption(option), ...denyOption(key) },
  async run(invocation, output) {
    const { server, names } = readNames(invocation, option);
    return await writeNameList(invocation, output, {
      server,
      key,
      deny: invocation.flag('deny'),
      change: (before) => {
        refuseUnknown(names, before, `The list of ${server}`);
        return before.filter((name) => !names.includes(name));
      },
    });
  },
});

const nameOption = (option: string): Command['options'] => ({
  [option]: { value: 'name', help: 'A name, or a pattern such as "get_*"', repeatable: true },
});

const denyOption = (key: NameListKey): Command['options'] => ({
  deny: { help: `The list of ${key} that may not be used although a pattern allows them` },
});

function readNames(invocation: Invocation, option: string): { server: string; names: readonly string[] } {
  const { first, rest } = atLeast(invocation, '<server>');
  const names = [...rest, ...invocation.values(option)]
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new UsageError(`Name at least one, as in --${option} <name>.`);
  return { server: first[0], names };
}
