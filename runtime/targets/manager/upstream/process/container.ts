import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { settlesWithin } from '#platform/settles-within.ts';
import type { ProcessLaunch } from '../../config/spec.ts';

/** A container with a unique name. */
export interface Container {
  readonly launch: ProcessLaunch;
  /** Removes the container by force; resolves when docker has finished; never rejects. */
  remove(): Promise<void>;
}

const REMOVE_MS = 5000;

/** Names a container, so that it can be removed: it is not in the process group of the docker client, and survives its end. */
export function nameContainer(launch: ProcessLaunch, prefix: string): Container {
  const { command, env } = launch;
  const [run = 'run', ...args] = launch.args;
  const name = `${prefix}-${randomUUID()}`;
  return {
    launch: { ...launch, args: [run, '--name', name, ...args] },
    async remove() {
      const docker = spawn(command, ['rm', '--force', name], { env: { ...env }, stdio: 'ignore' });
      const exited = once(docker, 'close').catch(() => undefined);
      if (!(await settlesWithin(REMOVE_MS, exited))) docker.kill('SIGKILL');
    },
  };
}
