import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { MARK_VARIABLE, type MarkedProcess } from './marked-process.ts';
import type { ProcessIdentity } from './process-identity.ts';

export function identifyByProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, can contain anything. After it: state, parent, group … start time.
    const [state = 'X', , group = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = rest[16];
    if (state === 'Z' || state === 'X' || startedAt === undefined) return undefined;
    return { pid, group: Number(group), startedAt };
  } catch {
    return undefined;
  }
}

/** The environment of other users' processes cannot be read. */
export async function findMarkedByProc(): Promise<MarkedProcess[]> {
  const names = await readdir('/proc');
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((pid) => find(pid)));
  return found.filter((process) => process !== undefined);
}

async function find(pid: string): Promise<MarkedProcess | undefined> {
  const mark = await markOf(pid);
  const identity = mark === undefined ? undefined : identifyByProc(Number(pid));
  // The second look proves that the number had no other owner in between.
  return identity && mark !== undefined && (await markOf(pid)) === mark ? { ...identity, mark } : undefined;
}

async function markOf(pid: string): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const variable = environment.split('\0').find((line) => line.startsWith(`${MARK_VARIABLE}=`));
  return variable?.slice(MARK_VARIABLE.length + 1);
}
