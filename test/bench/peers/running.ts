import { readFileSync } from 'node:fs';
import { childrenOf, sharedSize } from '../measure/process-memory.ts';
import { freePort, type Started, startUntil } from '../measure/started.ts';
import { sendTexts } from '../serve/load.ts';
import type { Contestant } from './contestant.ts';

export interface RunningPeer extends Contestant {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first response. */
  readonly firstAnswer: number;
  readonly stop: Started['stop'];
}

export async function startPeer(contestant: Contestant, log: string): Promise<RunningPeer> {
  const port = await freePort();
  const { command, args, env = {} } = contestant.serve(port);
  const started = performance.now();
  const ready = async (): Promise<number> => {
    await sendTexts(port, contestant.path, ['hello']);
    return performance.now() - started;
  };
  const { pid = 0, stop, result } = await startUntil(command, args, env, ready, { log, everyMs: POLL_MS });
  return { ...contestant, port, pid, stop, firstAnswer: result };
}

/** CPU time of a process and its descendants, in milliseconds. */
export const processorTime = (pid: number): number =>
  familyOf(pid).reduce((sum, one) => sum + ticksOf(one) * MS_PER_TICK, 0);

/** Memory of a process and its descendants, in bytes; shared pages are counted once. */
export const residentMemory = (pid: number): number =>
  familyOf(pid).reduce((sum, one) => sum + sharedSize(one), 0);

const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

/** Polling interval for a starting server, which is also the accuracy of its startup time. */
const POLL_MS = 5;

/** USER_HZ, which is 100 in Linux on all CPUs that run the benchmark. */
const MS_PER_TICK = 10;

/** Fields 14 and 15 of /proc/<pid>/stat, counted after the name, which can contain spaces. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
