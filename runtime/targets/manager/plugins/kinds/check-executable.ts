import { access, constants, stat } from 'node:fs/promises';
import { configError } from '#contract/errors.ts';

/** Rejects with a ConfigError if a plugin's program is not executable. */
export async function checkExecutable(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw configError(
      `${path} does not exist. Install the plugin there, or correct its name or [plugins] dir.`,
      error,
    );
  });
  if (!found.isFile()) throw configError(`${path} is not a file. Correct the name of the plugin.`);
  await access(path, constants.X_OK).catch((error: unknown) => {
    throw configError(`${path} is not executable. Run \`chmod +x ${path}\`.`, error);
  });
}
