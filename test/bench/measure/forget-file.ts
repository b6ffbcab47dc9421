import { execFileSync } from 'node:child_process';

/**
 * Evicts a file from the page cache, as after a reboot. If a file was written just now, Linux maps far more of it into a process than the
 * process reads. Pages mapped by a running process stay.
 */
export function forgetFile(path: string): void {
  execFileSync('sync', [path]);
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
}
