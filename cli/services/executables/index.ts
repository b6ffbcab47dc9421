import { becomeProgram, runProgram } from '../../adapters/run-program.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { findExecutable, requireExecutable } from './find.ts';
import { type ExecutableRequest, provideExecutable } from './provide.ts';
import { keepHint } from './result.ts';

/** `encoderfile try`: runs a model on texts with its executable in the cache. Returns the exit code. */
export async function tryModel(
  request: ExecutableRequest,
  words: readonly string[],
  report: Reporter,
): Promise<number> {
  const path = await provideExecutable(request, report);
  requireExecutable(path);
  const exitCode = await runProgram(path, ['infer', ...words]);
  if (exitCode === 0) report.print(keepHint(request, path));
  return exitCode;
}

/** `encoderfile run`: serves a model. Replaces this process, so that it only returns on Windows. */
export async function runModel(
  request: ExecutableRequest,
  words: readonly string[],
  report: Reporter,
): Promise<number> {
  const path = await findExecutable(request, report);
  requireExecutable(path);
  return await becomeProgram(path, ['serve', ...words]);
}
