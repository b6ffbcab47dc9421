import { stat } from 'node:fs/promises';
import { configError } from '#contract/errors.ts';
import { refuseInput } from '#platform/files/refuse-input.ts';

/** Rejects overwriting an existing file with --output-path. `shown` is the file as the user named it. */
export async function refuseToReplace(output: string, shown: string, overwrite: boolean): Promise<void> {
  const found = await stat(output).catch(() => undefined);
  if (found?.isDirectory()) throw configError(`${shown} is a folder. Pass a file with --output-path.`);
  refuseInput(output, [], shown);
  // Devices and pipes can be written to.
  if (!found?.isFile() || overwrite) return;
  throw configError(
    `${shown} already exists. Pass --force to overwrite it, or choose another file with --output-path.`,
  );
}
