import { resolve } from 'node:path';
import { configError } from '../../../contract/errors.ts';

/** Where the database is. */
export type DatabasePlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly shown: string };

const RULE =
  'Write `postgres://user:password@host:5432/name`, or `sqlite:<path of a file>`; without one, a file in the data folder is used.';

/** Files are relative to the folder. Throws a ConfigError if it is neither of the two kinds. A password is in no message. */
export function parseDatabaseUrl(text: string, folder = '.'): DatabasePlace {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(text.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite':
      return { kind: 'sqlite', path: sqlitePath(rest, folder) };
    case 'postgres':
    case 'postgresql':
      return { kind: 'postgres', url: text.trim(), shown: shownUrl(text.trim()) };
    case '':
      throw configError(`The database URL has no scheme. ${RULE}`);
    default:
      throw configError(
        `The database URL begins with ${JSON.stringify(`${scheme}:`)}, which is not supported. ${RULE}`,
      );
  }
}

/** For messages. */
export const shownPlace = (place: DatabasePlace): string =>
  place.kind === 'sqlite' ? place.path : place.shown;

/** `sqlite:///relative`, as other tools write it, `sqlite:////absolute`, or simply `sqlite:path`. */
function sqlitePath(rest: string, folder: string): string {
  const path = rest.startsWith('///') ? rest.slice(3) : rest;
  if (path === '' || path.startsWith('//')) throw configError(`The database URL names no file. ${RULE}`);
  return resolve(folder, path);
}

/** Without user, password and options. */
function shownUrl(url: string): string {
  refuseLonePercent(url);
  try {
    const { host, pathname } = new URL(url);
    return `PostgreSQL at ${host || 'its socket'}${pathname}`;
  } catch (error) {
    throw configError(`The database URL is not one. ${RULE}`, error);
  }
}

/** Each part of the URL is decoded, and what cannot be would be told in words that help nobody. */
function refuseLonePercent(url: string): void {
  try {
    decodeURIComponent(url);
  } catch (error) {
    throw configError(
      'The database URL has a % that begins no code of a character. Write %25 for a percent sign, also in a password.',
      error,
    );
  }
}
