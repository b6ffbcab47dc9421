import { readdirSync, readFileSync } from 'node:fs';
import { identify, type ProcessIdentity } from './processes.ts';

/** Returns the running descendants of a process. Empty without /proc. */
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

/** Every thread of a process has its own children. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
