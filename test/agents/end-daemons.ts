import { readdirSync, readFileSync } from 'node:fs';

/** Terminates processes that an agent has left behind, such as cline's daemon. They are identified by the home folder of the run. Linux only. */
export function endDaemons(home: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (variables.includes(`HOME=${home}`)) process.kill(Number(pid));
    } catch {
      // The process has exited, or belongs to another user.
    }
  }
}
