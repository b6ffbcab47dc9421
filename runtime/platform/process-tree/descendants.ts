import { readdirSync, readFileSync } from 'node:fs';
import { identify, type ProcessIdentity } from './processes.ts';

/** Returns the running processes that a process has started, and those that these have started. Empty without /proc. */
export function descendantsOf(pid: number): ProcessIdentity[] {
  const found: ProcessIdentity[] = [];
  const parents = [pid];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const child of childrenOf(parent)) {
      const identity = identify(child);
      if (!identity || child === pid || found.some((known) => known.pid === child)) continue;
      found.push(identity);
      parents.push(child);
    }
  }
  return found;
}

/** Every thread of a process has children of its own. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
