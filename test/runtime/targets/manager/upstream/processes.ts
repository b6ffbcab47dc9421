import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process with this ID exists and has not exited; a zombie counts as exited. */
export function isAlive(pid: number): boolean {
  return stateOf(pid) !== undefined && stateOf(pid) !== 'Z';
}

/** Zombie children of this process. */
export function zombies(): number[] {
  return children().filter((pid) => stateOf(pid) === 'Z');
}

export const children = (): number[] => childrenOf(process.pid);

/** Children that were started after `before` was taken. Children from earlier test files can exit at any time. */
export const childrenSince = (before: readonly number[]): number[] =>
  children().filter((pid) => !before.includes(pid));

export function childrenOf(parent: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.[1] === String(parent));
}

const stateOf = (pid: number): string | undefined => statOf(pid)?.[0];

/** The fields after the name in `/proc/<pid>/stat`: state, parent, group and so on. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
