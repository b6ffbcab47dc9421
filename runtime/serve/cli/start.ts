import { writeAll } from '../../platform/stdio.ts';
import type { Program } from './command.ts';
import { runProgram } from './run.ts';

/** Runs a program as this process: its output goes to stdout and stderr, its exit code ends the process. */
export function startProgram(program: Program, args: readonly string[]): void {
  const output = {
    out: (text: string) => writeAll(1, text),
    err: (text: string) => writeAll(2, text),
  };
  void runProgram(program, args, output).then((code) => {
    // Everything is written by now; waiting for native threads to end would only cost time.
    process.exit(code);
  });
}
