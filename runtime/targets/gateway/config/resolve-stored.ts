import { createRedactions } from '#core/text/redactions.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { ResolveContext } from './resolve/context.ts';
import { resolveLimits } from './resolve/limits.ts';
import { createStoredAliases } from './resolve/stored-alias.ts';
import { createStoredProviders } from './resolve/stored-provider.ts';
import type { GatewayFile } from './schemas/file.ts';
import type { ConfiguredProvider, EntryOutcome, WithStored } from './stored-models.ts';

/** Returns how to add stored entries to a file's models. */
export function createWithStored(
  context: ResolveContext,
  file: GatewayFile,
  models: ModelsConfig,
): WithStored {
  const quiet: ResolveContext = { ...context, report: () => undefined, warn: () => undefined };
  const limits = resolveLimits(quiet, [], { timeouts: file.timeouts });
  const resolveProvider = createStoredProviders(quiet, { limits, usesPriceMap: file.price_map });
  const resolveAlias = createStoredAliases();
  const ownNames = new Set(models.providers.map(({ name }) => name));
  const ownAliases = new Set(models.aliases.map(({ name }) => name));

  return (stored) => {
    const secrets = createRedactions();
    const providers = new Map(
      stored.providers.map((entry): [string, EntryOutcome<ConfiguredProvider>] => [
        entry.name,
        ownNames.has(entry.name) ? shadowed('provider') : resolveProvider(entry, secrets),
      ]),
    );
    const added = [...providers.values()].flatMap(activeValue);
    const all = [...models.providers, ...added];
    const known = { providers: all, stored: stored.providers.map(({ name }) => name) };
    const aliases = new Map(
      stored.aliases.map((entry) => [
        entry.name,
        ownAliases.has(entry.name) ? shadowed('alias') : resolveAlias(entry, known),
      ]),
    );
    return {
      models: {
        ...models,
        providers: all,
        aliases: [...models.aliases, ...[...aliases.values()].flatMap(activeValue)],
      },
      providers,
      aliases,
      secrets: secrets.all(),
    };
  };
}

const shadowed = (noun: string) =>
  ({
    status: 'shadowed',
    problem: `The configuration file has ${noun === 'alias' ? 'an' : 'a'} ${noun} with the same name, which takes precedence.`,
  }) as const;

const activeValue = <Value>(outcome: EntryOutcome<Value>): Value[] =>
  outcome.status === 'active' ? [outcome.value] : [];
