import { type ChildProcess, spawn } from 'node:child_process';
import { TEST_CACHE } from './paths.ts';

/** The port in the banner for a protocol. */
export function portIn(stderr: string, protocol: 'HTTP' | 'gRPC' | 'MCP'): number {
  const [, port] = new RegExp(`^ +${protocol} +.*:(\\d+)(?:/mcp)?(?: |$)`, 'm').exec(stderr) ?? [];
  if (port === undefined) throw new Error(`no port for ${protocol} in ${stderr}`);
  return Number(port);
}

export interface RunningExecutable {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with all of stderr as soon as `pattern` matches; rejects if the process exits first. */
  readonly said: (pattern: RegExp) => Promise<string>;
  /** Resolves with the exit code, or the name of the signal that terminated it. */
  readonly ended: Promise<number | string>;
}

/** Starts an executable and keeps it running. */
export function startExecutable(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningExecutable {
  const child = spawn(path, args, { env: { ...process.env, ENCODERFILE_CACHE_DIR: TEST_CACHE, ...env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(stderr)) resolve(stderr);
        };
        child.stderr.on('data', look);
        void ended.then((end) => reject(new Error(`ended with ${end} before it said ${pattern}: ${stderr}`)));
        look();
      }),
  };
}
