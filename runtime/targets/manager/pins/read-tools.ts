import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import { isTool } from '../calls/call.ts';
import { requestList } from '../calls/request-list.ts';
import type { PinnedTools } from '../config/pins-file.ts';
import type { ProcessLaunch, ServerSpec } from '../config/spec.ts';
import { definitionHash, toolDefinition } from '../config/tool-definition.ts';
import { createCheckList } from '../shapes/check-list.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';
import { openConnection } from '../upstream/open-connection.ts';

export interface ReadToolsOptions {
  readonly clock: Clock;
  readonly signIns: SignInStore;
  readonly signal: AbortSignal;
  /** Installs a server's package before the server starts. */
  readonly installer: PackagePreparation;
}

/** The installer functions that are needed to start a server. */
export interface PackagePreparation {
  readonly install: (spec: ServerSpec, launch: ProcessLaunch) => Promise<void>;
  readonly distrust: (launch: ProcessLaunch) => void;
}

/** Starts a server, reads the definitions of all its tools, and stops it. */
export async function readTools(
  spec: ServerSpec,
  { clock, signIns, signal, installer }: ReadToolsOptions,
): Promise<PinnedTools> {
  const { launch } = spec;
  if (launch.kind === 'unusable') throw new AppError('ConfigError', launch.problem);
  if (launch.kind === 'process') await installer.install(spec, launch);
  const guard = createOrphanGuard();
  try {
    const hooks = { onNotification: () => undefined, onLog: () => undefined, signIns };
    const connection = await openConnection(spec, hooks, signal).catch((error: unknown) => {
      if (launch.kind === 'process') installer.distrust(launch);
      throw error;
    });
    if (connection.pid !== undefined) void connection.closed.then(guard.watch(connection.pid));
    const stop = (): void => void connection.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const { items } = await requestList(connection, 'tools', { clock, timeoutMs: spec.timeouts.request });
      // Checked in the same way as by the manager, so that repaired tools have the same hash.
      const checked = await createCheckList()('tools', items);
      return pinnedTools(checked.items.filter(isTool));
    } finally {
      signal.removeEventListener('abort', stop);
      await connection.close();
    }
  } finally {
    await guard.close();
  }
}

/** If several tools have the same name, clients get the first of them. */
const pinnedTools = (tools: readonly { readonly name: string }[]): PinnedTools =>
  Object.fromEntries(
    tools.toReversed().map((tool) => {
      const definition = toolDefinition({ ...tool });
      return [tool.name, { hash: definitionHash(tool.name, definition), definition }];
    }),
  );
