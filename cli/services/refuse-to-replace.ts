import { stat } from 'node:fs/promises';
import { configError } from '../../runtime/contract/errors.ts';

/** Throws where a file that is about to be written with --output-path exists already. `shown` is how the user named it. */
export async function refuseToReplace(output: string, shown: string, overwrite: boolean): Promise<void> {
  const found = await stat(output).catch(() => undefined);
  if (found?.isDirectory()) throw configError(`${shown} is a folder; name a file with --output-path.`);
  // A device or a pipe is written in place.
  if (!found?.isFile() || overwrite) return;
  throw configError(
    `${shown} exists already. Pass --force to overwrite it, or name another file with --output-path.`,
  );
}
