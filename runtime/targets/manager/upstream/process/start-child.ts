import { AppError } from '#contract/errors.ts';
import type { ProcessTree } from '#platform/process-tree/process-tree.ts';
import { GROUPS_ONLY, type PreparedTree } from '#platform/process-tree/process-trees.ts';
import type { ProcessLaunch } from '../../config/spec.ts';
import type { TransportHooks } from '../transport.ts';
import { type Child, spawnChild } from './spawn-child.ts';

/** A server's process and everything that it starts. */
export interface StartedChild extends Child {
  readonly tree: ProcessTree;
}

const REMEDY =
  'On Linux, start the manager with delegated cgroups, e.g. `systemd-run --user --scope -p Delegate=yes mcp-manager daemon`.';

/** Starts a server within its limits. Warns about limits that the system does not apply, or throws if they are required. */
export async function startChild(
  launch: ProcessLaunch,
  { trees = GROUPS_ONLY, onWarning }: Pick<TransportHooks, 'trees' | 'onWarning'>,
): Promise<StartedChild> {
  const prepared = trees.prepare(launch.limits);
  try {
    checkLimits(prepared, launch.limits?.required ?? false, onWarning);
    let tree: ProcessTree | undefined;
    const marked = { ...launch, env: { ...launch.env, ...prepared.env } };
    const child = await spawnChild(marked, (pid) => (tree = prepared.adopt(pid)));
    return { ...child, tree: tree ?? prepared.adopt(child.pid) };
  } catch (error) {
    prepared.cancel();
    throw error;
  }
}

function checkLimits(
  { refused }: PreparedTree,
  isRequired: boolean,
  onWarning: TransportHooks['onWarning'],
): void {
  if (refused.length === 0) return;
  const keys = refused.map(({ limit }) => `limits.${limit}`).join(', ');
  const reasons = [...new Set(refused.map(({ why }) => why))].join('; ');
  const message = `This system cannot apply ${keys}: ${reasons}.`;
  if (isRequired) throw new AppError('UpstreamError', `${message} ${REMEDY}`);
  onWarning?.(`${message} The server runs without. ${REMEDY}`);
}
