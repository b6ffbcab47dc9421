import { readFileSync } from 'node:fs';
import type { ThreadState, ThreadView } from './stall-clock.ts';

/** Milliseconds per tick of the times in /proc, which is 100 Hz for programs on every architecture. */
const TICK_MS = 10;

/** Reads what the main thread of this process does; undefined where the system has no /proc. */
export function mainThreadFacts(): ThreadView['thread'] {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8');
    return threadFacts(text);
  } catch {
    // Also without a free descriptor.
    return undefined;
  }
}

/** Parses the format of /proc/self/task/<id>/stat. The name of the program can contain blanks and parentheses. @internal */
export function threadFacts(stat: string): ThreadView['thread'] {
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = (Number(fields[10]) + Number(fields[11])) * TICK_MS;
  return Number.isNaN(cpuMs) ? undefined : { cpuMs, state: STATES[state] ?? 'other' };
}

const STATES: Readonly<Record<string, ThreadState>> = { R: 'runnable', S: 'waiting' };
