import { statSync } from 'node:fs';
import { configError } from '#contract/errors.ts';

/** Rejects a path without a file before the manager starts. The file itself is checked when it is executed. */
export function requireEncoderFile(path: string, name = 'search encoder'): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return;
  const problem = found ? 'is not a file' : 'does not exist';
  throw configError(
    `The ${name} ${path} ${problem}. Set it to an .encoder file from \`encoderfile build\`, or to the URL of a running encoder.`,
  );
}
