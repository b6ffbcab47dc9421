import { omitUndefined } from '#core/json/omit-undefined.ts';
import { type Invocation, type Option, UsageError, type CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { EntrySettings } from '../accounts/registry/model-entries.ts';
import { aliasView } from '../api/views/models.ts';
import { createAliasRegistry } from '../registry/alias-registry.ts';
import type { RegisteredAlias, EntryRegistry } from '../registry/registry.ts';
import { STRATEGIES } from '../requests/routing/strategies.ts';
import { requireChanges } from './options/changes.ts';
import { statusCell } from './providers.ts';
import { formatTime, printResult, recordLines } from './show/format-values.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';

/** Options of `create` and `update`. */
const ALIAS_OPTIONS = {
  target: {
    value: 'provider:model',
    help: 'Model of the alias, with an optional weight, e.g. openai:gpt-5=2',
    repeatable: true,
  },
  strategy: {
    value: 'strategy',
    help: 'How a target is selected',
    choices: STRATEGIES,
    defaultText: 'weighted',
  },
  fallback: { value: 'provider:model', help: 'Model to try after all targets have failed', repeatable: true },
} satisfies Readonly<Record<string, Option>>;

function aliasSettings(invocation: Invocation): EntrySettings {
  const [targets, fallbacks] = [invocation.values('target'), invocation.values('fallback')];
  return omitUndefined({
    targets: targets.length === 0 ? undefined : targets.map(targetOf),
    strategy: invocation.value('strategy'),
    fallbacks: fallbacks.length === 0 ? undefined : fallbacks,
  });
}

/** A weight follows the last equals sign. Without a number there, the sign is a part of the name. */
function targetOf(text: string): EntrySettings {
  const [, model = text, weight] = /^(.+)=(-?[\d.]+)$/.exec(text) ?? [];
  if (weight === undefined) return { model };
  const number = Number(weight);
  if (number >= 0) return { model, weight: number };
  throw new UsageError(`--target: ${JSON.stringify(weight)} is not a weight; use a number of at least 0.`);
}

/** The aliases of the database and of the configuration file of the command. */
const aliasesOf = ({
  state,
  config,
}: Pick<StoreContext, 'state' | 'config'>): EntryRegistry<RegisteredAlias> =>
  createAliasRegistry({ entries: state.modelEntries, config: () => config.fileModels });

function showAlias(entry: RegisteredAlias, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, aliasView(entry));
  else printLines(output, recordLines(recordOf(entry)));
}

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
    updated: formatTime(entry.stored?.updatedAt ?? null),
  };
}

/** Targets as on the command line; the weight 1 is left out. */
const targetsText = (entry: RegisteredAlias): string =>
  aliasView(entry)
    .targets.map(({ model, weight }) => (weight === 1 ? model : `${model}=${weight}`))
    .join(', ');

const listAliasesCommand = storeCommand({
  summary: 'List the aliases of the configuration file and of the database.',
  options: {},
  needsMasterKey: true,
  prepare: () => async (context) => {
    const { output, json } = context;
    const all = await aliasesOf(context).list();
    if (json) return printJson(output, all.map(aliasView));
    if (all.length === 0)
      return output.err('There are no aliases. Create one with `gateway aliases create`.\n');
    return printLines(output, formatTable(COLUMNS, all.map(rowOf), stdoutTerminal()));
  },
});

const COLUMNS = ['NAME', 'SOURCE', 'STATUS', 'TARGETS', 'STRATEGY', 'FALLBACKS'];

function rowOf(entry: RegisteredAlias): Parameters<typeof formatTable>[1][number] {
  const { strategy, fallbacks } = aliasView(entry);
  const { name, source, status } = entry;
  return [name, source, statusCell(status), targetsText(entry), strategy, fallbacks.join(', ') || '-'];
}

const getAliasCommand = storeCommand({
  summary: 'Show an alias.',
  positionals: '<name>',
  options: {},
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    return async (context) => showAlias(await aliasesOf(context).get(name), context);
  },
});

const createAliasCommand = storeCommand({
  summary: 'Create an alias of one or several models. Running gateways use it within a second.',
  positionals: '<name>',
  options: ALIAS_OPTIONS,
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    const settings = aliasSettings(invocation);
    if (settings['targets'] === undefined)
      throw new UsageError('--target is missing; set at least one model, e.g. --target openai:gpt-5-mini.');
    return async (context) => showAlias(await aliasesOf(context).create(name, settings), context);
  },
});

const updateAliasCommand = storeCommand({
  summary: 'Change an alias of the database. Running gateways apply the change within a second.',
  positionals: '<name>',
  options: { ...ALIAS_OPTIONS, 'no-fallbacks': { help: 'Remove all fallbacks' } },
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    const cleared = invocation.flag('no-fallbacks') ? { fallbacks: null } : {};
    const changes = { ...cleared, ...aliasSettings(invocation) };
    requireChanges(changes);
    return async (context) => showAlias(await aliasesOf(context).change(name, changes), context);
  },
});

const deleteAliasCommand = storeCommand({
  summary: 'Delete an alias of the database.',
  positionals: '<name>',
  options: {},
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    return async (context) => {
      await aliasesOf(context).delete(name);
      printResult(context, { name, deleted: true }, `Deleted alias ${name}.`);
    };
  },
});

export const ALIAS_COMMANDS: CommandGroup = {
  summary: 'Manage aliases of models in the database; those of the configuration file are only listed.',
  commands: {
    list: listAliasesCommand,
    get: getAliasCommand,
    create: createAliasCommand,
    update: updateAliasCommand,
    delete: deleteAliasCommand,
  },
};
