import { resolve } from 'node:path';
import { configError } from '#contract/errors.ts';

/** A database's location. `shown` is the URL without credentials, for messages. */
export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly shown: string };

const RULE =
  'Use `postgres://user:password@host:5432/name` or `sqlite:<file>`, or remove it to use a file in the data folder.';

/**
 * Parses a database URL. File paths are relative to `folder`. Throws a ConfigError, whose message never
 * contains a password.
 */
export function parseDatabaseUrl(text: string, folder = '.'): DatabaseLocation {
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
      throw configError(`The database URL has the unsupported scheme ${JSON.stringify(scheme)}. ${RULE}`);
  }
}

/** Returns a database's location for messages, without credentials. */
export const locationText = (location: DatabaseLocation): string =>
  location.kind === 'sqlite' ? location.path : location.shown;

/** Parses the path in `sqlite:path`, or in `sqlite:///relative` and `sqlite:////absolute`, which other tools use. */
function sqlitePath(rest: string, folder: string): string {
  const path = rest.startsWith('///') ? rest.slice(3) : rest;
  if (path === '' || path.startsWith('//'))
    throw configError(`The database URL does not contain a file. ${RULE}`);
  return resolve(folder, path);
}

/** Returns a URL's server and database, without user, password and options. */
function shownUrl(url: string): string {
  assertDecodable(url);
  try {
    const { host, pathname } = new URL(url);
    return `PostgreSQL at ${host || 'its socket'}${pathname}`;
  } catch (error) {
    throw configError(`Invalid database URL. ${RULE}`, error);
  }
}

/** Throws a ConfigError for invalid percent-encoding, which the PostgreSQL client's error would not explain. */
function assertDecodable(url: string): void {
  try {
    decodeURIComponent(url);
  } catch (error) {
    throw configError(
      'The database URL contains an invalid percent-encoding. Write percent signs as %25, including in the password.',
      error,
    );
  }
}
