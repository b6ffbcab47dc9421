import { AppError } from '#contract/errors.ts';
import type { EntrySettings, StoredEntries, StoredProvider } from '../accounts/registry/model-entries.ts';
import { entryAddress, splitSecrets, withKeptKeys } from '../accounts/registry/entry-secrets.ts';
import { memberOfProblem } from '../config/resolve/stored-provider.ts';
import type { Alias } from '../requests/routing/routing.ts';
import { parseModel } from '../shared/model-string.ts';
import {
  entryProblem,
  inFile,
  missingEntry,
  nameTaken,
  withChanges,
  fileEntry,
  sortedByName,
  storedEntry,
  type EntryRegistry,
  type RegisteredProvider,
  type RegistryParts,
} from './registry.ts';

const NAME = /^[a-z0-9][a-z0-9_.-]{0,99}$/;

/** Creates the provider registry. Names are case-insensitive. */
export function createProviderRegistry({
  entries,
  config,
  onChange,
}: RegistryParts): EntryRegistry<RegisteredProvider> {
  const isInFile = (name: string): boolean => config().models.providers.some((one) => one.name === name);
  /** Throws an InputError if the provider would not be used. */
  const check = (stored: StoredEntries, provider: StoredProvider): void => {
    const others = stored.providers.filter(({ name }) => name !== provider.name);
    const merged = config().withStored({ ...stored, providers: [...others, provider] });
    const outcome = merged.providers.get(provider.name);
    if (outcome?.status !== 'invalid') return;
    throw entryProblem(
      'provider',
      provider.name,
      outcome.problem,
      memberOfProblem(outcome.problem, joined(provider)),
    );
  };
  const list = async (): Promise<RegisteredProvider[]> => listOf(await entries.read(), config());
  const get = async (text: string): Promise<RegisteredProvider> => {
    const name = text.toLowerCase();
    const found = (await list()).find((one) => one.name === name);
    return found ?? missingEntry('provider', text);
  };
  return {
    list,
    get,
    async create(text, settings) {
      const name = text.toLowerCase();
      if (!NAME.test(name)) throw entryProblem('provider', text.slice(0, 100), NAME_RULE, 'name');
      refusePlaceholders(name, settings);
      await entries.change((stored) => {
        if (isInFile(name)) throw nameTaken('provider', name, 'file');
        if (stored.providers.some((one) => one.name === name)) throw nameTaken('provider', name, 'database');
        const split = splitSecrets(settings);
        check(stored, newProvider(name, split));
        return { kind: 'provider', name, ...split };
      });
      await onChange?.();
      return await get(name);
    },
    async change(text, changes) {
      const name = text.toLowerCase();
      refusePlaceholders(name, changes);
      await entries.change((stored) => {
        const before = stored.providers.find((one) => one.name === name);
        if (isInFile(name)) throw inFile('provider', name);
        if (!before) return missingEntry('provider', text);
        const next = changedProvider(before, changes);
        check(stored, { ...before, settings: next.settings, secrets: next.secrets ?? before.secrets });
        return { kind: 'provider', name, ...next };
      });
      await onChange?.();
      return await get(name);
    },
    async delete(text) {
      const name = text.toLowerCase();
      await entries.change((stored) => {
        const isStored = stored.providers.some((one) => one.name === name);
        if (isInFile(name) && !isStored) throw inFile('provider', name);
        if (!isStored) return missingEntry('provider', text);
        const users = usersOf(name, namedModels(stored));
        if (users.length > 0 && !isInFile(name)) throw inUse(name, users);
        return { kind: 'provider', name, settings: undefined };
      });
      await onChange?.();
    },
  };
}

const NAME_RULE =
  'The name must have 1 to 100 letters, digits, `-`, `_` and `.`, and begin with a letter or digit.';

/**
 * Throws an InputError for placeholders such as `${OPENAI_API_KEY}`, which would be sent literally. They are
 * not expanded, because a gateway administrator could then read every environment variable of the process by
 * sending it to a server.
 */
function refusePlaceholders(name: string, settings: EntrySettings): void {
  for (const [member, value] of Object.entries(settings)) {
    const [placeholder] = /\$\{[^"}]{0,200}\}/.exec(JSON.stringify(value) ?? '') ?? [];
    if (placeholder === undefined) continue;
    const problem = `\`${member}\` contains ${placeholder}. Variables are only replaced in configuration files; send the value itself.`;
    throw entryProblem('provider', name, problem, member);
  }
}

interface SplitSettings {
  readonly settings: EntrySettings;
  readonly secrets: EntrySettings;
}

const newProvider = (name: string, { settings, secrets }: SplitSettings): StoredProvider => ({
  name,
  settings,
  secrets,
  secretNames: [],
  createdAt: 0,
  updatedAt: 0,
});

const joined = ({ settings, secrets }: StoredProvider): EntrySettings => ({ ...settings, ...secrets });

/**
 * The new settings, and the new secrets if any of them changes. A stored secret is only ever sent to the
 * address that it was stored for.
 */
function changedProvider(
  before: StoredProvider,
  given: EntrySettings,
): { readonly settings: EntrySettings; readonly secrets?: EntrySettings } {
  const isMoved =
    entryAddress(before.name, before.settings) !==
    entryAddress(before.name, withChanges(before.settings, given));
  const changes = isMoved ? given : withKeptKeys(given, before.secrets ?? {});
  // An object such as `aws` is replaced as a whole, including its secrets.
  const isKept = (secretName: string): boolean => !Object.hasOwn(changes, secretName.split('.', 1)[0] ?? '');
  const kept = before.secretNames.filter(isKept);
  const { settings, secrets } = splitSecrets(withChanges(before.settings, changes));
  if (kept.length === before.secretNames.length && Object.keys(secrets).length === 0 && !isMoved)
    return { settings };
  const names = kept.map((name) => `\`${name}\``).join(', ');
  if (kept.length > 0 && isMoved) {
    throw entryProblem(
      'provider',
      before.name,
      `Stored secrets are only sent to the address they were stored for. Set ${names} together with the new address.`,
    );
  }
  if (kept.length > 0 && before.secrets === undefined)
    throw entryProblem(
      'provider',
      before.name,
      `The provider's secrets cannot be decrypted. Set ${names} too.`,
    );
  const old = Object.entries(before.secrets ?? {}).filter(([member]) => !Object.hasOwn(changes, member));
  return { settings, secrets: { ...Object.fromEntries(old), ...secrets } };
}

interface NamedModels {
  readonly name: string;
  readonly models: readonly string[];
}

/** The models that stored aliases refer to, including those of invalid aliases. */
const namedModels = ({ aliases }: StoredEntries): NamedModels[] =>
  aliases.map(({ name, settings: { targets, fallbacks } }) => ({
    name,
    models: [targets, fallbacks].flat().flatMap((target: unknown) => modelOf(target) ?? []),
  }));

const modelsOfAlias = ({ name, targets, fallbacks = [] }: Alias): NamedModels => ({
  name,
  models: [...targets.map(({ model }) => model), ...fallbacks],
});

function modelOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  const model: unknown =
    typeof target === 'object' && target !== null && 'model' in target ? target.model : undefined;
  return typeof model === 'string' ? model : undefined;
}

/** Names of the aliases that use a provider or encoder. */
const usersOf = (provider: string, aliases: readonly NamedModels[]): string[] =>
  aliases
    .filter(({ models }) =>
      models.map(parseModel).some((model) => model && [model.provider, encoderIn(model)].includes(provider)),
    )
    .map(({ name }) => name);

const encoderIn = ({
  provider,
  model,
}: {
  readonly provider: string;
  readonly model: string;
}): string | undefined => (provider === 'encoder' ? model.toLowerCase() : undefined);

function inUse(name: string, users: readonly string[]): AppError {
  const noun = users.length === 1 ? 'alias' : 'aliases';
  const which = users.length === 1 ? 'it' : 'them';
  return new AppError(
    'ConflictError',
    `Provider '${name}' is used by the ${noun} ${users.join(', ')}. Change or delete ${which} first.`,
    { reason: 'provider_in_use' },
  );
}

function listOf(
  stored: StoredEntries,
  { models, withStored }: ReturnType<RegistryParts['config']>,
): RegisteredProvider[] {
  const { providers } = withStored(stored);
  const all = [...models.aliases.map(modelsOfAlias), ...namedModels(stored)];
  const own = models.providers.map((value) => ({ ...fileEntry(value), usedBy: usersOf(value.name, all) }));
  const others = stored.providers.map((one) => {
    const entry = storedEntry(one, providers.get(one.name));
    return { ...entry, usedBy: entry.status === 'shadowed' ? [] : usersOf(one.name, all) };
  });
  return sortedByName<RegisteredProvider>(own, others);
}
