import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { MARK_VARIABLE, type MarkedProcess } from './marked-process.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** Names of days and months are in English, times in UTC. */
const options = () =>
  ({
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  }) as const;

/** Process, group, state, and the start time as `Thu Nov 26 08:05:45 2026`. */
const COLUMNS = 'pid=,pgid=,stat=,lstart=';
const LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+\w+ (\w+\s+\d+ \d+:\d+:\d+ \d{4})(.*)$/;

export function identifyByPs(pid: number): ProcessIdentity | undefined {
  try {
    const line = execFileSync('ps', ['-o', COLUMNS, '-p', String(pid)], {
      ...options(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return parsePsLine(line.trimEnd());
  } catch {
    return undefined;
  }
}

/** `e` adds the environment to the command line. That of other users' processes is not shown. */
export async function findMarkedByPs(): Promise<MarkedProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', `${COLUMNS},command=`], options());
  return stdout.split('\n').flatMap((line) => {
    const process = parsePsLine(line);
    const mark = new RegExp(String.raw` ${MARK_VARIABLE}=(\S+)`).exec(line)?.[1];
    return process === undefined || mark === undefined ? [] : [{ ...process, mark }];
  });
}

function parsePsLine(line: string): ProcessIdentity | undefined {
  const [, pid, group, state = '', startedAt] = LINE.exec(line) ?? [];
  const seconds = Date.parse(`${startedAt} UTC`) / 1000;
  if (pid === undefined || state.startsWith('Z') || Number.isNaN(seconds)) return undefined;
  return { pid: Number(pid), group: Number(group), startedAt: String(seconds) };
}
