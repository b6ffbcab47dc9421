import type { RunningExecutable } from '../../helpers/start-executable.ts';
import { addressOf } from '../service-arms.ts';
import { type RunningProcess, useProcesses } from '../started-processes.ts';
import { filesIn, type ManagerFiles, writeFiles } from './arms.ts';
import { builtProgram } from '../../helpers/built.ts';

export type RunningDaemon = RunningProcess;

/** Real daemons that a test talks to and sends signals; what still runs after the test is ended. */
export function useDaemons(): {
  start: (files: ManagerFiles, flags?: readonly string[]) => Promise<RunningDaemon>;
  /** Without waiting for it to serve. */
  launch: (folder: string, flags: readonly string[]) => RunningExecutable;
} {
  const processes = useProcesses();
  const launch = (folder: string, flags: readonly string[]): RunningExecutable =>
    processes.launch(builtProgram('manager'), ['daemon', ...filesIn(folder), ...flags], { folder });
  return {
    launch,
    async start(files, flags = []) {
      const folder = writeFiles(files);
      const started = launch(folder, ['--addr', '127.0.0.1:0', ...flags]);
      return processes.served(started, await addressOf(started), folder);
    },
  };
}
