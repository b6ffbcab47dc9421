import { setImmediate } from 'node:timers/promises';
import type { MarkedProcess } from './marked-process.ts';
import { findMarkedByProc } from './proc-processes.ts';
import { findMarkedByPs } from './ps-processes.ts';

export type MarkedSearch = () => Promise<readonly MarkedProcess[]>;

/**
 * Returns a search for all running processes with a mark. Searches of one turn of the event loop are one, because all servers of
 * a program end together.
 */
export function createMarkedSearch(): MarkedSearch {
  let upcoming: ReturnType<MarkedSearch> | undefined;
  const search: MarkedSearch = async () => {
    await setImmediate();
    upcoming = undefined;
    const find = process.platform === 'linux' ? findMarkedByProc : findMarkedByPs;
    return await find().catch(() => []);
  };
  return () => (upcoming ??= search());
}
