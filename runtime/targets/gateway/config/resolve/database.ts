import { isAbsolute, join, resolve } from 'node:path';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import { UsageError } from '../../../../serve/cli/command.ts';
import { type DatabasePlace, parseDatabaseUrl } from '../../store/database-url.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { pathIn, requireHomeFolder, type ResolveContext } from './context.ts';

/** Where the database is: its URL, or a file in the data folder; a flag goes before a variable, and that before the file. */
export function resolveDatabase(context: ResolveContext, file: GatewayFile): DatabasePlace {
  const { given, secrets, report, folder } = context;
  const name = 'database-url';
  const ours = given.text(name);
  const outside = ours ?? given.variable(OTHERS);
  const url = outside ?? file.database_url;
  if (url === undefined) return fileIn(dataFolder(context, file));
  for (const secret of passwordsIn(url)) secrets.add(secret, ['password']);
  try {
    return parseDatabaseUrl(url, outside === undefined ? folder : undefined);
  } catch (error) {
    if (outside === undefined) report(['database_url'], messageOf(error));
    else if (given.onCommandLine(name)) throw new UsageError(`--${name}: ${messageOf(error)}`);
    else throw named(ours === undefined ? OTHERS : given.source(name), error);
    return fileIn(folder);
  }
}

/** As hosting platforms call it. */
const OTHERS = 'DATABASE_URL';

const fileIn = (folder: string): DatabasePlace => ({ kind: 'sqlite', path: join(folder, 'gateway.db') });

function dataFolder(context: ResolveContext, file: GatewayFile): string {
  const { given } = context;
  const outside = given.text('data-dir');
  if (outside !== undefined) return resolve(outside);
  if (file.data_dir !== undefined) return pathIn(context, file.data_dir);
  // By its specification, a path in it that is relative is to be ignored.
  const home = [given.variable('XDG_DATA_HOME'), given.variable('LOCALAPPDATA')].find(
    (path) => path !== undefined && isAbsolute(path),
  );
  return join(
    home ?? join(requireHomeFolder('name a folder for the database with --data-dir'), '.local', 'share'),
    'gateway',
  );
}

/** As it stands in the URL, and decoded. */
function passwordsIn(url: string): string[] {
  const { password = '' } = URL.parse(url) ?? {};
  const [, written = ''] = /:\/\/[^/@]*?:([^@]*)@/.exec(url) ?? [];
  return [password, written, decoded(password)].filter((one) => one !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const named = (source: string, error: unknown): AppError =>
  new AppError('ConfigError', `${source}: ${messageOf(error)}`, { cause: error });
