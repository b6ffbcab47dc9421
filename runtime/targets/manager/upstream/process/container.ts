import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { settlesWithin } from '../../../../platform/settles-within.ts';
import type { ProcessLaunch } from '../../config/spec.ts';

/** A container under a name that only this start of it has. */
export interface Container {
  readonly launch: ProcessLaunch;
  /** Ends it by force; resolves, never rejects, when docker has done so or there is nothing to end. */
  remove(): Promise<void>;
}

const REMOVE_MS = 5000;

/** Docker runs a container outside the process group of its client: whoever kills the client leaves the container. */
export function nameContainer(launch: ProcessLaunch, prefix: string): Container {
  const { command, env } = launch;
  const [run = 'run', ...args] = launch.args;
  const name = `${prefix}-${randomUUID()}`;
  return {
    launch: { ...launch, args: [run, '--name', name, ...args] },
    async remove() {
      const docker = spawn(command, ['rm', '--force', name], { env: { ...env }, stdio: 'ignore' });
      const ended = once(docker, 'close').catch(() => undefined);
      if (!(await settlesWithin(REMOVE_MS, ended))) docker.kill('SIGKILL');
    },
  };
}
