import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** The running processes of Wine whose command line contains a text, by their IDs on this system. */
export const windowsProcesses = (text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
      // The command line of a program that Wine starts begins with its Windows path, and that of the first one with the loader.
      return /^(?:"?[A-Z]:\\|\/usr\/lib\/wine\/)/.test(command) && command.includes(text);
    })
    .map(Number);

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const POLL_MS = 50;
const MAX_MS = 60_000;

/** Resolves when a condition is true; rejects if it is not true within a minute. */
export async function becomes(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`did not become true within a minute: ${condition.toString()}`);
    await setTimeout(POLL_MS);
  }
}
