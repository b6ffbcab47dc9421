import { readdirSync, readFileSync } from 'node:fs';
import { type Program, runProgram } from './child.ts';

/** Memory of a process in bytes, as reported by Linux in /proc. */
export interface Memory {
  /** Peak resident memory: VmHWM. */
  readonly peak: number;
  readonly resident: number;
  /** Private memory: heap, stacks, copies. */
  readonly anonymous: number;
  /** Mapped files, shared with other processes that map them. */
  readonly file: number;
}

/** `pss` counts a page shared by n processes as an nth of a page, so it can be added up over processes. */
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

/** Peak memory of a process and its descendants, added up at every sample. These runs are not timed, because sampling takes time. */
export async function peakMemory(program: Program): Promise<Pick<Memory, 'resident' | 'anonymous'>> {
  let resident = 0;
  let anonymous = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    await runProgram(program, (pid) => {
      timer = setInterval(() => {
        const all = familyOf(pid).map(memoryIfRunning);
        resident = Math.max(resident, sum(all.map((memory) => memory?.resident)));
        // With a single process, VmHWM includes peaks between two samples.
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

/** The child processes of a process. */
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

/** A process can exit at any time, even between listing and reading it. */
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
