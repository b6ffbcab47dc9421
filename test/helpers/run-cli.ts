import { builtCli } from './built.ts';
import { type Answer, type ProcessOptions, runProcess } from './run-process.ts';

/** Runs the real `encoderfile` as a child process. `early-reader.test.ts` and `unknown-user.test.ts` run it from source. */
export function runCli(args: readonly string[], options: ProcessOptions = {}): Promise<Answer> {
  return runProcess(process.execPath, [builtCli(), ...args], options);
}
