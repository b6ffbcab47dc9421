import { join } from 'node:path';
import { ROOT } from './paths.ts';
import { type Answer, type ProcessOptions, runProcess } from './run-process.ts';

/** Runs the real `encoderfile` as a child process. */
export function runCli(args: readonly string[], options: ProcessOptions = {}): Promise<Answer> {
  return runProcess(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args], options);
}
