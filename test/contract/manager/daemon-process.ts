import type { RunningExecutable } from '../../helpers/start-executable.ts';
import { addressOf } from '../service-arms.ts';
import { type RunningProcess, useProcesses } from '../started-processes.ts';
import { filesIn, type ManagerFiles, writeFiles } from './arms.ts';
import { builtProgram } from '../../helpers/built.ts';

export type RunningDaemon = RunningProcess;

/** Real daemons that a test sends requests and signals to; any still running are killed after the test. */
export function useDaemons(): {
  start: (files: ManagerFiles, flags?: readonly string[]) => Promise<RunningDaemon>;
  /** With the files of an earlier daemon. */
  startIn: (folder: string, flags?: readonly string[]) => Promise<RunningDaemon>;
  /** Starts the process without waiting until it serves requests. */
  launch: (folder: string, flags: readonly string[]) => RunningExecutable;
} {
  const processes = useProcesses();
  const launch = (folder: string, flags: readonly string[]): RunningExecutable =>
    processes.launch(builtProgram('manager'), ['daemon', ...filesIn(folder), ...flags], { folder });
  const startIn = async (folder: string, flags: readonly string[] = []): Promise<RunningDaemon> => {
    const started = launch(folder, ['--addr', '127.0.0.1:0', ...flags]);
    return processes.served(started, await addressOf(started), folder);
  };
  return {
    launch,
    startIn,
    start: (files, flags) => startIn(writeFiles(files), flags),
  };
}
