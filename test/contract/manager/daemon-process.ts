import { rmSync } from 'node:fs';
import { afterEach } from 'vitest';
import { type RunningExecutable, startExecutable } from '../serving.ts';
import { filesIn, managerPath, type ManagerFiles, writeFiles } from './arms.ts';
import { type Api, withApi } from './shared-managers.ts';

export interface RunningDaemon extends Api, RunningExecutable {}

/** Real daemons that a test talks to and sends signals; what still runs after the test is killed. */
export function useDaemons(): {
  start: (files: ManagerFiles, flags?: readonly string[]) => Promise<RunningDaemon>;
  /** Without waiting for it to serve. */
  launch: (folder: string, flags: readonly string[]) => RunningExecutable;
} {
  const running: RunningExecutable[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGTERM');
      await ended;
    }
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const launch = (folder: string, flags: readonly string[]): RunningExecutable => {
    const started = startExecutable(managerPath(), ['daemon', ...filesIn(folder), ...flags]);
    running.push(started);
    return started;
  };
  return {
    launch,
    async start(files, flags = []) {
      const folder = writeFiles(files);
      folders.push(folder);
      const started = launch(folder, ['--addr', '127.0.0.1:0', ...flags]);
      const [, url = ''] = / (http:\/\/[^ /]+:\d+)$/m.exec(await started.said(/"msg":"serving"/)) ?? [];
      const stop = async (): Promise<void> => {
        started.child.kill('SIGTERM');
        await started.ended;
      };
      return { ...withApi({ url, folder, stop, log: started.stderr }), ...started };
    },
  };
}
