import { readdirSync, readFileSync } from 'node:fs';
import { type Program, runProgram } from './child.ts';

/** Bytes of a process's memory, as Linux counts them in /proc. */
export interface Memory {
  /** Most memory it ever had resident: VmHWM. */
  readonly peak: number;
  readonly resident: number;
  /** Its own: heap, stacks, copies. */
  readonly anonymous: number;
  /** Mapped files, shared with other processes that map them. */
  readonly file: number;
}

/** `pss` counts a page that n processes share as an nth of a page: it adds up over processes. */
export const sharedSize = (pid: number): number =>
  fieldsOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))('Pss');

export function memoryOf(pid: number): Memory {
  const field = fieldsOf(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return {
    peak: field('VmHWM'),
    resident: field('VmRSS'),
    anonymous: field('RssAnon'),
    file: field('RssFile'),
  };
}

/** Peaks of a process and all it starts, added up at every look. Runs are not timed: looking takes time. */
export async function peakMemory(program: Program): Promise<Pick<Memory, 'resident' | 'anonymous'>> {
  let resident = 0;
  let anonymous = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    await runProgram(program, (pid) => {
      timer = setInterval(() => {
        const all = familyOf(pid).map(memoryIfRunning);
        resident = Math.max(resident, sum(all.map((memory) => memory?.resident)));
        // VmHWM catches what happens between two looks, where there is only one process.
        if (all.length === 1) resident = Math.max(resident, all[0]?.peak ?? 0);
        anonymous = Math.max(anonymous, sum(all.map((memory) => memory?.anonymous)));
      }, LOOK_EVERY_MS);
    });
  } finally {
    clearInterval(timer);
  }
  return { resident, anonymous };
}

const LOOK_EVERY_MS = 2;
const KIB = 1024;

/** What a process has started. */
export const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );

function familyOf(pid: number): number[] {
  try {
    return [pid, ...childrenOf(pid).flatMap(familyOf)];
  } catch {
    return [];
  }
}

/** A process ends when it likes: between being listed and being looked at, too. */
function memoryIfRunning(pid: number): Memory | undefined {
  try {
    return memoryOf(pid);
  } catch {
    return undefined;
  }
}

function fieldsOf(text: string): (name: string) => number {
  return (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * KIB;
}

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);
