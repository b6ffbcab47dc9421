import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { identify, isRunning } from './identify.ts';

/**
 * Marks the children of this process. A mark is `<scope>.<pid>.<start time>/<number>`: the program and its start time identify
 * who started a process, and the scope restricts a search to programs with the same configuration in the same container.
 */
export interface ProcessMarks {
  /** The part that the marks of all children of this process share, without the slash. */
  readonly prefix: string;
  /** Whether the mark, or its first part, is from a program of the same scope that has ended. */
  readonly isAbandoned: (mark: string) => boolean;
}

/** Returns undefined on systems where processes cannot be identified. */
export function createProcessMarks(owner: string): ProcessMarks | undefined {
  const self = identify(process.pid);
  if (!self) return undefined;
  const scope = createHash('sha256').update(`${processNamespace()}\0${owner}`).digest('hex').slice(0, 16);
  const pattern = new RegExp(String.raw`^${scope}\.(\d+)\.(\d+)(?:/|$)`);
  return {
    prefix: `${scope}.${self.pid}.${self.startedAt}`,
    isAbandoned(mark) {
      const [, pid, startedAt] = pattern.exec(mark) ?? [];
      if (pid === undefined || startedAt === undefined) return false;
      return !isRunning({ pid: Number(pid), startedAt });
    },
  };
}

/** Numbers of processes are comparable only in one namespace: programs in containers have numbers of their own. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
