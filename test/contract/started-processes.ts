import { rmSync } from 'node:fs';
import { afterEach } from 'vitest';
import { type RunningExecutable, startExecutable } from '../helpers/start-executable.ts';
import { type Api, withApi } from './shared-services.ts';

export interface RunningProcess extends Api, RunningExecutable {}

interface LaunchOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Contains its input files, and is removed after the test. */
  readonly folder?: string;
}

interface ProcessStarter {
  /** Without waiting. */
  readonly launch: (path: string, args: readonly string[], options?: LaunchOptions) => RunningExecutable;
  /** Sends requests to a process that serves at the URL. */
  readonly served: (started: RunningExecutable, url: string, folder: string) => RunningProcess;
}

/** Real processes with which a test communicates. After the test, running processes are terminated and their folders are removed. */
export function useProcesses(): ProcessStarter {
  const running: RunningExecutable[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGTERM');
      await ended;
    }
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    launch(path, args, { env, folder } = {}) {
      if (folder !== undefined) folders.push(folder);
      const started = startExecutable(path, args, env);
      running.push(started);
      return started;
    },
    served(started, url, folder) {
      const stop = async (): Promise<void> => {
        started.child.kill('SIGTERM');
        await started.ended;
      };
      return { ...withApi({ url, folder, stop, log: started.stderr }), ...started };
    },
  };
}
