import { DEFAULTS } from './defaults.ts';
import { createExpander } from './expander.ts';
import { isPerUser } from './is-per-user.ts';
import type { ResolveContext } from './resolve-context.ts';
import { resolveProcess } from './resolve-process.ts';
import { resolveRemote } from './resolve-remote.ts';
import type { SecretsEntry } from './secrets-file.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ServerSpec } from './spec.ts';

/** Resolves a server: expands variables and adds defaults. If problems are reported, the result must not be started. */
export function resolveServer(
  entry: ServerEntry,
  secrets: SecretsEntry,
  context: ResolveContext,
): ServerSpec {
  const { name, launch, timeouts } = entry;
  const common = {
    server: name,
    env: context.env,
    platform: context.platform,
    redactions: context.redactions,
  };
  const sources = {
    entry,
    secrets,
    expandEntry: createExpander({ ...common, path: entry.path, report: context.report }),
    expandSecret: createExpander({ ...common, path: secrets.path, report: context.reportSecrets }),
  };
  const resolved =
    launch.kind === 'remote'
      ? resolveRemote(launch, sources, context)
      : resolveProcess(launch, sources, context);
  return {
    name,
    launch: resolved,
    tools: entry.tools,
    prompts: entry.prompts,
    resources: entry.resources,
    readOnly: entry.readOnly,
    // The connection of a user opens with the user's first call.
    lazy: entry.lazy || isPerUser({ launch: resolved }),
    idleMs: entry.idleMs ?? DEFAULTS.idle,
    timeouts: {
      install: timeouts.install ?? context.timeouts.install,
      init: timeouts.init ?? context.timeouts.init,
      request: timeouts.request ?? context.timeouts.request,
      shutdown: timeouts.shutdown ?? context.timeouts.shutdown,
    },
    concurrency: entry.concurrency ?? DEFAULTS.concurrency,
    queue: entry.queue ?? DEFAULTS.queue,
    toolOverrides: entry.toolOverrides,
    approvals: entry.approvals,
    pins: context.pins(entry),
  };
}
