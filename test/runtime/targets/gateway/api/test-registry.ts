import { createRedactions } from '#core/text/redactions.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import type { ModelEntries } from '#gateway/accounts/registry/model-entries.ts';
import { serveCommand } from '#gateway/commands/serve.ts';
import { readFlagsAndEnv } from '#gateway/config/flags-and-env.ts';
import { resolveModels } from '#gateway/config/resolve/models.ts';
import { createWithStored } from '#gateway/config/resolve-stored.ts';
import type { GatewayContext } from '#gateway/context.ts';
import { createAliasRegistry } from '#gateway/registry/alias-registry.ts';
import { createProviderRegistry } from '#gateway/registry/provider-registry.ts';

/** Providers and aliases in a database, with an empty configuration file. The models that requests use are not updated. */
export function testRegistry(
  entries: ModelEntries,
): Pick<GatewayContext, 'modelFollower' | 'providers' | 'aliases'> {
  const context = {
    flagsAndEnv: readFlagsAndEnv(parseInvocation(serveCommand, [], {}), serveCommand.options, {}),
    report: () => undefined,
    warn: () => undefined,
    secrets: createRedactions(),
    isNeeded: () => true,
    folder: '.',
  };
  const names = { providers: [], encoders: [], profiles: [], profileKeys: new Map() };
  const models = resolveModels(context, {}, names);
  const file = { models, withStored: createWithStored(context, {}, models) };
  const parts = { entries, config: () => file };
  return {
    modelFollower: { refresh: () => undefined },
    providers: createProviderRegistry(parts),
    aliases: createAliasRegistry(parts),
  };
}
