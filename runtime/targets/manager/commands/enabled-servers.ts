import { configError } from '#contract/errors.ts';
import { suggest } from '#core/text/suggest.ts';
import { serverName } from '../config/server-name.ts';
import type { ServerSpec } from '../config/spec.ts';

/** Finds an enabled server by the name that the user typed. */
export function enabledServer(servers: readonly ServerSpec[], typed: string): ServerSpec {
  const spec = servers.find(({ name }) => name === serverName(typed));
  if (spec) return spec;
  const similar = suggest(
    typed,
    servers.map(({ name }) => name),
  );
  const hint = similar === undefined ? 'See `mcp-manager list`.' : `Did you mean ${similar}?`;
  throw configError(`No enabled server is named ${JSON.stringify(typed)}. ${hint}`);
}
