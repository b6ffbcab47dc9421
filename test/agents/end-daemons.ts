import { readdirSync, readFileSync } from 'node:fs';

/** Ends processes that an agent has left behind: cline starts a daemon. They have the home folder of the run. Linux only. */
export function endDaemons(home: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (variables.includes(`HOME=${home}`)) process.kill(Number(pid));
    } catch {
      // It has exited, or belongs to another user.
    }
  }
}
