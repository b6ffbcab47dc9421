import { configError, messageOf } from '#contract/errors.ts';
import { OutputClosedError, writeAll } from '#platform/stdio.ts';
import { failUnlessFinished } from '#platform/unfinished.ts';
import type { Program } from './command.ts';
import { runProgram } from './run.ts';

/** Runs a program in this process: writes to stdout and stderr, and exits with its exit code. */
export function startProgram(program: Program, args: readonly string[]): void {
  failUnlessFinished();
  void runProgram(program, args, { out, err }).then((code) => {
    // All output has already been written, so there is no need to wait for native threads.
    process.exit(code);
  });
}

function out(text: string): void {
  try {
    writeAll(1, text);
  } catch (error) {
    if (error instanceof OutputClosedError) throw error;
    throw configError(`Cannot write to stdout: ${messageOf(error)}.`, error);
  }
}

function err(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // The error message cannot be printed, but the exit code still indicates the failure.
  }
}
