import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { errorCode } from '#core/values/error-code.ts';
import { requireHomeFolder } from '../../config/resolve/context.ts';

/** The current user's sign-in, for commands that call a gateway. */
export interface Login {
  readonly url: string;
  readonly key: string;
  readonly userId: string;
  readonly expiresAt: string | null;
}

/** Returns the path of the file: `gateway/login.json` in $XDG_CONFIG_HOME or ~/.config. */
export function loginPath(env: Readonly<Record<string, string | undefined>>): string {
  const configured = env['XDG_CONFIG_HOME'];
  const folder =
    configured !== undefined && isAbsolute(configured)
      ? configured
      : join(requireHomeFolder('set XDG_CONFIG_HOME'), '.config');
  return join(folder, 'gateway', 'login.json');
}

/** Writes the file, readable by its owner only. */
export async function writeLogin(path: string, login: Login): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  // The mode above only applies to new files.
  await chmod(path, 0o600);
}

/** Throws a ConfigError if the user is not signed in. */
export async function readLogin(path: string): Promise<Login> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT')
      throw configError('You are not signed in. Run `gateway login --url <url>`.');
    throw error;
  });
  const { url, key, userId, expiresAt } = membersOf(parseJsonText(text));
  if (typeof url !== 'string' || typeof key !== 'string' || typeof userId !== 'string')
    throw configError(`${path} is not a sign-in file of this program. Run \`gateway login\` again.`);
  return { url, key, userId, expiresAt: typeof expiresAt === 'string' ? expiresAt : null };
}

export const deleteLogin = async (path: string): Promise<void> => await rm(path, { force: true });
