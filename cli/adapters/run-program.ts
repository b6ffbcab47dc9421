import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Signals that are sent to this process alone, for example by a supervisor, and that the program must get instead. */
const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;

/**
 * Runs a program with the standard streams of this process and returns its exit code. Signals are
 * forwarded; a program that a signal ends has the exit code of a shell, 128 plus the signal's
 * number.
 */
export async function runProgram(file: string, args: readonly string[]): Promise<number> {
  let child: ChildProcess | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl+C to both processes, and the program must not get it twice.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child?.kill(signal);
  };
  // Before the start: a signal right after it would end this process and leave the program behind.
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    const program = spawn(file, args, { stdio: 'inherit', windowsHide: true });
    child = program;
    return await new Promise<number>((resolve, reject) => {
      program.once('error', reject).once('exit', (code, signal) => {
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}

/**
 * Replaces this process with a program, which keeps the process id, so that signals and the exit
 * code need no forwarding. Windows has no such call: the program runs as a child process.
 */
export async function becomeProgram(file: string, args: readonly string[]): Promise<number> {
  if (process.execve === undefined || process.platform === 'win32') return await runProgram(file, args);
  return process.execve(file, [file, ...args], process.env);
}
