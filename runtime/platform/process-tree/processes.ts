import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** Returns a running process; undefined if it has ended, and on Windows. A zombie counts as ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid);
}

export const stillRuns = ({ pid, startedAt }: Pick<ProcessIdentity, 'pid' | 'startedAt'>): boolean =>
  identify(pid)?.startedAt === startedAt;

/** Sends a signal, unless the process has ended. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!stillRuns(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch {
    // The process has exited in the meantime, or it belongs to another user.
  }
}

/** A process, identified by its start time as well, because the system reuses the ids of ended processes. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The ID of its process group. */
  readonly group: number;
  /** On Linux in clock ticks since system start, elsewhere in seconds since 1970. */
  readonly startedAt: string;
}

/** The environment variable of child processes by which they and everything they start are found. */
export const MARK_VARIABLE = 'ENCODERFILE_SERVER';

export interface MarkedProcess extends ProcessIdentity {
  readonly mark: string;
}

function identifyByProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name, in parentheses, can contain any characters. After it: state, parent,
    // group … start time.
    const [state = 'X', , group = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = rest[16];
    if (state === 'Z' || state === 'X' || startedAt === undefined) return undefined;
    return { pid, group: Number(group), startedAt };
  } catch {
    return undefined;
  }
}

/** The environment of other users' processes cannot be read. */
export async function findMarkedByProc(): Promise<MarkedProcess[]> {
  const names = await readdir('/proc');
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((pid) => find(pid)));
  return found.filter((process) => process !== undefined);
}

async function find(pid: string): Promise<MarkedProcess | undefined> {
  const mark = await markOf(pid);
  const identity = mark === undefined ? undefined : identifyByProc(Number(pid));
  // Checking twice proves that the id had no other owner in between.
  return identity && mark !== undefined && (await markOf(pid)) === mark ? { ...identity, mark } : undefined;
}

async function markOf(pid: string): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const variable = environment.split('\0').find((line) => line.startsWith(`${MARK_VARIABLE}=`));
  return variable?.slice(MARK_VARIABLE.length + 1);
}

/** English names of days and months, times in UTC. */
const options = () =>
  ({
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  }) as const;

/** Process, group, state, and the start time as `Thu Nov 26 08:05:45 2026`. */
const COLUMNS = 'pid=,pgid=,stat=,lstart=';
const LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+\w+ (\w+\s+\d+ \d+:\d+:\d+ \d{4})(.*)$/;

/** @internal Exported for tests only. */
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

/** `e` appends the environment to the command line. Other users' environments are not shown. */
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
