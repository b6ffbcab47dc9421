import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ProcessSample } from '#core/limits/tree-usage.ts';

/** Ticks per second of the times in /proc, which is the same on all Linux systems. */
const TICKS = 100;
const KIBIBYTE = 1024;

/**
 * Returns the running processes of this machine; undefined on systems that do not list them, such
 * as Windows.
 */
export async function readProcessTable(): Promise<readonly ProcessSample[] | undefined> {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? await readByProc() : await readByPs();
}

async function readByProc(): Promise<readonly ProcessSample[] | undefined> {
  const [names, pageBytes] = await Promise.all([readdir('/proc').catch(() => undefined), readPageBytes()]);
  if (!names) return undefined;
  const stats = names
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''));
  return (await Promise.all(stats)).flatMap((stat) => rowOf(stat, pageBytes));
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function rowOf(stat: string, pageBytes: number): ProcessSample[] {
  const pid = Number.parseInt(stat, 10);
  // The program's name, in parentheses, can contain any characters.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system, pages] = [1, 11, 12, 21].map((at) => Number(fields[at]));
  if (parent === undefined || user === undefined || system === undefined || pages === undefined) return [];
  if (Number.isNaN(pid) || Number.isNaN(pages)) return [];
  return [{ pid, parent, memory: pages * pageBytes, seconds: (user + system) / TICKS }];
}

/** Pages are larger than 4 KiB on some ARM machines. */
async function readPageBytes(): Promise<number> {
  const maps = await readFile('/proc/self/smaps', 'latin1').catch(() => '');
  return Number(/^KernelPageSize:\s+(\d+) kB$/m.exec(maps)?.[1] ?? 4) * KIBIBYTE;
}

async function readByPs(): Promise<readonly ProcessSample[] | undefined> {
  const options = { maxBuffer: 16 * 1024 * 1024, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  const { stdout } = await promisify(execFile)('ps', ['axo', 'pid=,ppid=,rss=,time='], options).catch(() => ({
    stdout: undefined,
  }));
  return stdout?.split('\n').flatMap((line) => {
    const [pid, parent, kibibytes, time] = line.trim().split(/\s+/);
    if (pid === undefined || time === undefined) return [];
    const memory = Number(kibibytes) * KIBIBYTE;
    return [{ pid: Number(pid), parent: Number(parent), memory, seconds: secondsOf(time) }];
  });
}

/** Converts `1-02:03:04.5` or `3:04.50` to seconds. */
function secondsOf(time: string): number {
  const [clock = '', days = '0'] = time.split('-').toReversed();
  return clock.split(':').reduce((total, part) => total * 60 + Number(part), 0) + Number(days) * 86_400;
}
