import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** A program to start: measurements always use a separate process. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface Finished {
  /** Time from just before the process starts until it has exited and its output has ended. */
  readonly milliseconds: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits. `onStart` receives its process ID; a failure of the program fails the benchmark. */
export async function runProgram(program: Program, onStart?: (pid: number) => void): Promise<Finished> {
  const { command, args, env, stdin } = program;
  const started = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env } });
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  if (onStart && child.pid !== undefined) onStart(child.pid);
  child.stdin.end(stdin);
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (end !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${end}: ${stderr.trim()}`);
  return { milliseconds: performance.now() - started, stdout, stderr };
}
