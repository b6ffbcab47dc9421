import { execFileSync } from 'node:child_process';

/**
 * Puts a file out of the page cache, as after a start of the machine. Of a file that was written just now, Linux maps far more
 * into a process than the process reads. What a running process has mapped stays.
 */
export function forgetFile(path: string): void {
  execFileSync('sync', [path]);
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
}
