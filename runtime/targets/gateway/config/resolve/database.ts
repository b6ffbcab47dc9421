import { isAbsolute, join, resolve } from 'node:path';
import { AppError, messageOf } from '#contract/errors.ts';
import { UsageError } from '#serve/cli/command.ts';
import { type DatabaseLocation, parseDatabaseUrl } from '../../store/database-url.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { pathIn, requireHomeFolder, type ResolveContext } from './context.ts';
import { shortPattern } from '#core/text/short-pattern.ts';

/** Resolves the database: its URL or, without one, a file in the data folder. Precedence: flag, variable, file. */
export function resolveDatabase(context: ResolveContext, file: GatewayFile): DatabaseLocation {
  const { flagsAndEnv, secrets, report, folder } = context;
  const name = 'database-url';
  const own = flagsAndEnv.text(name);
  const outside = own ?? flagsAndEnv.variable(PLATFORM_VARIABLE);
  const url = outside ?? file.database_url;
  if (url === undefined) return fileIn(dataFolder(context, file));
  for (const secret of passwordsIn(url)) secrets.add(secret, ['password']);
  try {
    return parseDatabaseUrl(url, outside === undefined ? folder : undefined);
  } catch (error) {
    if (outside === undefined) report(['database_url'], messageOf(error));
    else if (flagsAndEnv.onCommandLine(name)) throw new UsageError(`--${name}: ${messageOf(error)}`);
    else throw withSource(own === undefined ? PLATFORM_VARIABLE : flagsAndEnv.source(name), error);
    return fileIn(folder);
  }
}

/** The variable that hosting platforms set. */
const PLATFORM_VARIABLE = 'DATABASE_URL';

const fileIn = (folder: string): DatabaseLocation => ({ kind: 'sqlite', path: join(folder, 'gateway.db') });

function dataFolder(context: ResolveContext, file: GatewayFile): string {
  const { flagsAndEnv } = context;
  const outside = flagsAndEnv.text('data-dir');
  if (outside !== undefined) return resolve(outside);
  if (file.data_dir !== undefined) return pathIn(context, file.data_dir);
  // The XDG specification requires ignoring relative paths.
  const home = [flagsAndEnv.variable('XDG_DATA_HOME'), flagsAndEnv.variable('LOCALAPPDATA')].find(
    (path) => path !== undefined && isAbsolute(path),
  );
  return join(
    home ?? join(requireHomeFolder('set the folder of the database with --data-dir'), '.local', 'share'),
    'gateway',
  );
}

const WRITTEN_PASSWORD = shortPattern(/:\/\/[^/@:]*:([^@]*)@/);

/** Returns a URL's password in all its forms: parsed, as written, and decoded. */
function passwordsIn(url: string): string[] {
  const { password = '' } = URL.parse(url) ?? {};
  const [, written = ''] = WRITTEN_PASSWORD.exec(url) ?? [];
  return [password, written, decoded(password)].filter((one) => one !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const withSource = (source: string, error: unknown): AppError =>
  new AppError('ConfigError', `${source}: ${messageOf(error)}`, { cause: error });
