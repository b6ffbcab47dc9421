import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { AppError, messageOf } from '#contract/errors.ts';
import type { ProcessLaunch } from '../../config/spec.ts';
import { errorCode } from '#core/values/error-code.ts';
import { spawnable, variableOf } from '#platform/command-file.ts';
import { GROUP_LEADER, leadGroup } from '#platform/process-group.ts';
import type { ProcessTree } from '#platform/process-tree/process-tree.ts';
import { GROUPS_ONLY, type PreparedTree } from '#platform/process-tree/process-trees.ts';
import type { TransportHooks } from '../connection.ts';

export interface Child {
  readonly streams: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** Resolves when the process has exited, with a description such as `code 1` or `signal SIGKILL`. */
  readonly exited: Promise<string>;
}

/**
 * Starts a program without a shell as the leader of a new process group, so that its descendants can be
 * stopped with it. If the manager is killed with SIGKILL, its orphan guard stops the group, because Node does
 * not support Linux's parent death signal. `onStarted` is called before
 * any other code in this process runs.
 */
export async function spawnChild(
  { command, args, env, cwd }: ProcessLaunch,
  onStarted?: (pid: number) => void,
): Promise<Child> {
  try {
    const { file, args: passed, ...quoting } = spawnable({ command, env, cwd }, args);
    const streams = spawn(file, passed, {
      ...quoting,
      env: { ...env },
      ...(cwd !== undefined && { cwd }),
      stdio: 'pipe',
      ...GROUP_LEADER,
    });
    // Done in the same event loop turn, because the program is already running.
    if (streams.pid !== undefined) {
      leadGroup(streams.pid);
      onStarted?.(streams.pid);
    }
    const exited = new Promise<string>((resolve) => {
      streams.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    });
    await once(streams, 'spawn');
    // Later errors concern undelivered signals or broken streams; the exit of the process covers them.
    streams.on('error', () => undefined);
    return { streams, pid: streams.pid as number, exited };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('UpstreamError', await explain({ command, env, cwd }, error), { cause: error });
  }
}

async function explain(
  { command, env, cwd }: Pick<ProcessLaunch, 'command' | 'env' | 'cwd'>,
  error: unknown,
): Promise<string> {
  if (cwd !== undefined && !(await isFolder(cwd))) {
    return `The working directory \`${cwd}\` does not exist. Create it, or correct \`cwd\`.`;
  }
  const code = errorCode(error);
  if (code === 'ENOENT' && /[/\\]/.test(command)) {
    return `The program \`${command}\` does not exist. Correct \`command\`.`;
  }
  if (code === 'ENOENT') {
    const folders = variableOf(env, 'PATH');
    const path =
      folders === undefined
        ? 'the PATH of the server is not set'
        : `the PATH of the server is \`${folders}\``;
    return `The command \`${command}\` was not found; ${path}. Install it, or configure its absolute path.`;
  }
  if (code === 'EACCES') return `\`${command}\` is not executable. Run \`chmod +x ${command}\`.`;
  return `Cannot start \`${command}\`: ${messageOf(error)}.`;
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** A server's process and its descendants. */
interface StartedChild extends Child {
  readonly tree: ProcessTree;
}

const REMEDY =
  'On Linux, start the manager with delegated cgroups, e.g. `systemd-run --user --scope -p Delegate=yes mcp-manager daemon`.';

/**
 * Starts a server within its limits. Warns about limits that the system does not apply, or throws if they are
 * required.
 */
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
  onWarning?.(`${message} The server runs without these limits. ${REMEDY}`);
}
