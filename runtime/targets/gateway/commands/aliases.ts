import { parseJsonText } from '#core/json/json-text.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { type Invocation, type Option, UsageError, type CommandGroup } from '#serve/cli/command.ts';
import type { formatTable } from '#serve/cli/table.ts';
import type { EntrySettings } from '../accounts/registry/model-entries.ts';
import { aliasView } from '../api/views/models.ts';
import { createAliasRegistry } from '../registry/alias-registry.ts';
import type { RegisteredAlias, EntryRegistry } from '../registry/registry.ts';
import { STRATEGIES } from '../requests/routing/strategies.ts';
import { requireChanges } from './options/changes.ts';
import { providerStatusCell } from './providers.ts';
import { formatTime } from './show/format-values.ts';
import { resourceCommands } from './store/resource-commands.ts';
import type { StoreContext } from './store/store-command.ts';

/** Options for `create` and `update`. */
const ALIAS_OPTIONS = {
  target: {
    value: 'provider:model',
    help: 'Target model with an optional weight, e.g. openai:gpt-5=2',
    repeatable: true,
  },
  strategy: {
    value: 'strategy',
    help: 'How a target is selected',
    choices: STRATEGIES,
    defaultText: 'weighted',
  },
  fallback: { value: 'provider:model', help: 'Model to try after all targets have failed', repeatable: true },
  shadow: {
    value: 'json',
    help: 'Shadow evaluation as JSON, e.g. {"model":"openai:gpt-5-mini","share":0.1,"user":"evaluation","judge":"openai:gpt-5"}',
  },
  ab: { value: 'json', help: 'A/B test as JSON, e.g. {"model":"openai:gpt-5-mini","share":0.1}' },
} satisfies Readonly<Record<string, Option>>;

function aliasSettings(invocation: Invocation): EntrySettings {
  const [targets, fallbacks] = [invocation.values('target'), invocation.values('fallback')];
  return omitUndefined({
    targets: targets.length === 0 ? undefined : targets.map(targetOf),
    strategy: invocation.value('strategy'),
    shadow: jsonOf(invocation, 'shadow'),
    ab: jsonOf(invocation, 'ab'),
    fallbacks: fallbacks.length === 0 ? undefined : fallbacks,
  });
}

function jsonOf(invocation: Invocation, name: 'shadow' | 'ab'): unknown {
  const text = invocation.value(name);
  if (text === undefined) return undefined;
  try {
    return parseJsonText(text);
  } catch {
    throw new UsageError(`--${name}: expected a JSON object.`);
  }
}

/** A weight follows the last equals sign. If no number follows, the sign is part of the name. */
function targetOf(text: string): EntrySettings {
  const [, model = text, weight] = /^(.+)=(-?[\d.]+)$/.exec(text) ?? [];
  if (weight === undefined) return { model };
  const number = Number(weight);
  if (number >= 0) return { model, weight: number };
  throw new UsageError(`--target: ${JSON.stringify(weight)} is not a weight; use a number of at least 0.`);
}

/** The aliases in the database and in the command's configuration file. */
export const aliasesOf = ({
  state,
  config,
}: Pick<StoreContext, 'state' | 'config'>): EntryRegistry<RegisteredAlias> =>
  createAliasRegistry({ entries: state.modelEntries, config: () => config.fileModels });

function recordOf(entry: RegisteredAlias): Record<string, string> {
  const view = aliasView(entry);
  return {
    name: view.name,
    source: view.source,
    status: view.status,
    ...(view.problem !== null && { problem: view.problem }),
    targets: targetsText(entry),
    strategy: view.strategy,
    fallbacks: view.fallbacks.join(', ') || '-',
    ...(view.shadow && { 'shadow evaluation': candidateText(view.shadow) }),
    ...(view.ab && { 'A/B test': candidateText(view.ab) }),
    updated: formatTime(entry.stored?.updatedAt ?? null),
  };
}

/** The candidate and its share; `shadow get` shows the rest. */
const candidateText = ({ model, share }: Record<string, unknown>): string =>
  `${String(model)}, share ${String(share)}`;

/** Targets in command-line syntax; a weight of 1 is omitted. */
const targetsText = (entry: RegisteredAlias): string =>
  aliasView(entry)
    .targets.map(({ model, weight }) => (weight === 1 ? model : `${model}=${weight}`))
    .join(', ');

function rowOf(entry: RegisteredAlias): Parameters<typeof formatTable>[1][number] {
  const { strategy, fallbacks } = aliasView(entry);
  const { name, source, status } = entry;
  return [
    name,
    source,
    providerStatusCell(status),
    targetsText(entry),
    strategy,
    fallbacks.join(', ') || '-',
  ];
}

const COMMANDS = resourceCommands<RegisteredAlias>({
  argument: '<name>',
  needsMasterKey: true,
  find: async (context, name) => await aliasesOf(context).get(name),
  view: aliasView,
  record: recordOf,
  list: {
    summary: 'List the aliases in the configuration file and in the database.',
    prepare: () => async (context) => await aliasesOf(context).list(),
    none: 'There are no aliases. Create one with `gateway aliases create`.',
    heads: ['NAME', 'SOURCE', 'STATUS', 'TARGETS', 'STRATEGY', 'FALLBACKS'],
    rows: (entries) => entries.map(rowOf),
  },
  get: { summary: 'Show an alias.' },
  create: {
    summary: 'Create an alias of one or several models. Running gateways use it within a second.',
    argument: '<name>',
    options: ALIAS_OPTIONS,
    prepare(invocation, name) {
      const settings = aliasSettings(invocation);
      if (settings['targets'] === undefined)
        throw new UsageError(
          '--target is required; set at least one model, e.g. --target openai:gpt-5-mini.',
        );
      return async (context) => await aliasesOf(context).create(name, settings);
    },
  },
  update: {
    summary: 'Change an alias in the database. Running gateways apply the change within a second.',
    options: {
      ...ALIAS_OPTIONS,
      'no-fallbacks': { help: 'Remove all fallbacks' },
      'no-shadow': { help: 'End the shadow evaluation' },
      'no-ab': { help: 'End the A/B test' },
    },
    prepare(invocation, name) {
      for (const one of ['shadow', 'ab'])
        if (invocation.flag(`no-${one}`) && invocation.value(one) !== undefined)
          throw new UsageError(`--${one} conflicts with --no-${one}; use one of them.`);
      const cleared = {
        ...(invocation.flag('no-fallbacks') && { fallbacks: null }),
        ...(invocation.flag('no-shadow') && { shadow: null }),
        ...(invocation.flag('no-ab') && { ab: null }),
      };
      const changes = { ...cleared, ...aliasSettings(invocation) };
      requireChanges(changes);
      return async (context) => await aliasesOf(context).change(name, changes);
    },
  },
  delete: {
    summary: 'Delete an alias from the database.',
    async run(name, context) {
      await aliasesOf(context).delete(name);
      return [{ name }, `Deleted alias ${name}.`];
    },
  },
});

export const ALIAS_COMMANDS: CommandGroup = {
  summary: 'Manage model aliases in the database; aliases in the configuration file can only be listed.',
  commands: {
    list: COMMANDS.list,
    get: COMMANDS.get,
    create: COMMANDS.create,
    update: COMMANDS.update,
    delete: COMMANDS.delete,
  },
};
