import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import type { ProcessLaunch } from '../../config/spec.ts';
import { errorCode } from '../../../../core/values/error-code.ts';

export interface Child {
  readonly streams: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** Resolves when the process has ended and is reaped, with how: `exit code 1`, `signal SIGKILL`. */
  readonly exited: Promise<string>;
}

/**
 * Starts the program without a shell, at the head of its own process group, so that all it starts can be ended with it. On
 * Windows there are no groups.
 * If the manager itself is killed with SIGKILL, its orphan guard ends them: Linux could be asked to, but Node has no way to ask.
 */
export async function spawnChild({ command, args, env, cwd }: ProcessLaunch): Promise<Child> {
  try {
    const streams = spawn(command, args, {
      env: { ...env },
      ...(cwd !== undefined && { cwd }),
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const exited = new Promise<string>((resolve) => {
      streams.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
    });
    await once(streams, 'spawn');
    // Later errors are about signals that were not delivered, or streams that broke: its end tells all there is.
    streams.on('error', () => undefined);
    return { streams, pid: streams.pid as number, exited };
  } catch (error) {
    throw new AppError('UpstreamError', await explain({ command, env, cwd }, error), { cause: error });
  }
}

async function explain(
  { command, env, cwd }: Pick<ProcessLaunch, 'command' | 'env' | 'cwd'>,
  error: unknown,
): Promise<string> {
  if (cwd !== undefined && !(await isFolder(cwd))) {
    return `The folder \`${cwd}\` to run \`${command}\` in does not exist. Create it, or correct \`cwd\`.`;
  }
  const code = errorCode(error);
  if (code === 'ENOENT' && /[/\\]/.test(command)) {
    return `The program \`${command}\` does not exist. Correct \`command\`.`;
  }
  if (code === 'ENOENT') {
    const path = env['PATH'] === undefined ? 'has no PATH' : `has the PATH \`${env['PATH']}\``;
    return `The command \`${command}\` was not found; its environment ${path}. Install it, or give its full path.`;
  }
  if (code === 'EACCES') return `\`${command}\` may not be executed. Make it executable (chmod +x).`;
  return `\`${command}\` could not be started: ${messageOf(error)}.`;
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
