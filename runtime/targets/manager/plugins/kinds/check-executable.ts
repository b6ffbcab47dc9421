import { access, constants, stat } from 'node:fs/promises';
import { configError } from '../../../../contract/errors.ts';

/** Says what is wrong with the program of a plugin, if something is. */
export async function checkExecutable(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw configError(
      `${path} does not exist. Put the plugin there, or correct its name or [plugins] dir.`,
      error,
    );
  });
  if (!found.isFile()) throw configError(`${path} is not a file. Name the plugin's program.`);
  await access(path, constants.X_OK).catch((error: unknown) => {
    throw configError(`${path} may not be executed. Make it executable (chmod +x).`, error);
  });
}
