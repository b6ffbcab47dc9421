import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { prepareRoot, type Root } from '../roots/roots.ts';

/** Wine 8, of older releases, cannot run Node 26. */
const WINE_ROOT: Root = { name: 'wine-trixie', release: 'trixie', kind: 'minbase', packages: ['wine64'] };

/** A program on Windows that has ended. */
export interface Outcome {
  readonly exitCode: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program on Windows that runs. */
export interface RunningProgram {
  readonly stderr: () => string;
  /** Resolves with stderr as soon as `pattern` matches; rejects if the program ends before. */
  readonly said: (pattern: RegExp) => Promise<string>;
  /** Sends Ctrl+C: Wine passes the signal SIGINT on as an event of the console. */
  readonly interrupt: () => void;
  /** Terminates the program, which cannot do anything before. */
  readonly terminate: () => void;
  readonly ended: Promise<Outcome>;
}

export interface RunOptions {
  /** Windows path. Default: `C:\work`. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A Windows system with its own drive C. */
export interface Wine {
  /** The folder on this system that is `C:\`. */
  readonly drive: string;
  /** The Windows path of a file below `drive`. */
  readonly windowsPath: (path: string) => string;
  readonly start: (program: string, args: readonly string[], options?: RunOptions) => RunningProgram;
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<Outcome>;
  /** Ends all of its processes. */
  readonly close: () => Promise<void>;
}

/** The path on this system of a file on drive C. */
export const linuxPath = ({ wine }: { readonly wine: Wine }, path: string): string =>
  join(wine.drive, ...path.replace(/^C:\\/, '').split('\\'));

/**
 * Every process has its own mounts, which are removed with it, and inherits no variables of this system. Each step replaces the
 * process of the previous one, so that signals reach the program.
 */
const SCRIPT = `
root=$1 temporary=$2 folder=$3
shift 3
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$temporary" "$root/tmp"
exec env -i "$@" chroot "$root" /bin/sh -ec 'cd "$1"; shift; exec "$@"' sh "$folder"
`;

const WINE = '/usr/lib/wine/wine64';
const PREFIX = '/tmp/prefix';

/** Prepares a Windows system in an empty folder, or returns the missing prerequisite. */
export async function openWine(temporary: string): Promise<Wine | { readonly missing: string }> {
  const root = await prepareRoot(WINE_ROOT);
  if ('missing' in root) return root;
  const drive = join(temporary, 'prefix/drive_c');
  const logs = join(temporary, 'logs');
  for (const name of ['home', 'run', 'logs']) mkdirSync(join(temporary, name));
  let count = 0;

  const start = (command: readonly string[], folder: string, env: RunOptions['env'] = {}): RunningProgram => {
    count += 1;
    const [stdout = '', stderr = ''] = ['out', 'err'].map((name) => join(logs, `${count}.${name}`));
    const variables = Object.entries({ ...VARIABLES, ...env }).map(([name, value]) => `${name}=${value}`);
    const parameters = [root.path, temporary, folder, ...variables];
    // Node for Windows cannot write to a pipe of Linux, so the output goes to files.
    const [out, error] = [openSync(stdout, 'w'), openSync(stderr, 'w')];
    const child = spawn('unshare', ['-rm', 'sh', '-ec', scriptFor(command), 'sh', ...parameters], {
      stdio: ['ignore', out, error],
    });
    for (const descriptor of [out, error]) closeSync(descriptor);
    return running(child, stdout, stderr);
  };
  const wine: Wine = {
    drive,
    windowsPath: (path) => `C:\\${relative(drive, path).split(sep).join('\\')}`,
    start: (program, args, { cwd = String.raw`C:\work`, env } = {}) =>
      start([WINE, program, ...args], insideOf(cwd), env),
    run: async (program, args, options) => await wine.start(program, args, options).ended,
    async close() {
      await start(['/usr/lib/wine/wineserver', '-k', '-w'], '/').ended;
    },
  };
  const { exitCode, stderr } = await start([WINE, 'wineboot', '-i'], '/').ended;
  if (exitCode !== 0) return { missing: `a working Wine (${stderr.trim()})` };
  mkdirSync(join(drive, 'work'));
  return wine;
}

const VARIABLES = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/tmp/home',
  XDG_RUNTIME_DIR: '/tmp/run',
  WINEPREFIX: PREFIX,
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  // The encoding of arguments with other characters than ASCII.
  LC_ALL: 'C.UTF-8',
};

const scriptFor = (command: readonly string[]): string =>
  `${SCRIPT.trim()} ${command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`;

/** The path in the root of a folder on drive C. */
const insideOf = (path: string): string =>
  `${PREFIX}/drive_c/${path.replace(/^C:\\/, '').split('\\').join('/')}`;

function running(child: ChildProcess, stdout: string, stderr: string): RunningProgram {
  const read = (path: string): string => readFileSync(path, 'utf8');
  const ended = (async (): Promise<Outcome> => {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return { exitCode: code ?? signal ?? 'unknown', stdout: read(stdout), stderr: ownLines(read(stderr)) };
  })();
  let isOver = false;
  void ended.then(() => (isOver = true));
  return {
    stderr: () => ownLines(read(stderr)),
    async said(pattern) {
      for (;;) {
        const wasOver = isOver;
        const text = ownLines(read(stderr));
        if (pattern.test(text)) return text;
        if (wasOver) throw new Error(`ended before it printed ${pattern}: ${text}`);
        await setTimeout(POLL_MS);
      }
    },
    interrupt: () => void child.kill('SIGINT'),
    terminate: () => void child.kill('SIGKILL'),
    ended,
  };
}

const POLL_MS = 50;

/** What Wine and ONNX Runtime print about Wine. */
const FOREIGN = [
  /Failed to calculate byte size for saving cpu info/,
  /^Failed to create DXGI factory/,
  /^Error in cpuinfo/,
  // Dawn, because Wine has no DXGI, and where.
  /^Error: Failed to create a DXGI factory/,
  /^ {4}at CreateFactory \(/,
  /^wine: /,
];

const ownLines = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => !FOREIGN.some((pattern) => pattern.test(line)))
    .join('\n');
