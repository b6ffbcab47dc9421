import { configError } from '#contract/errors.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { readStoreConfig } from '../store/read-store-config.ts';

/** The path of the SQLite database. Throws a ConfigError for PostgreSQL, which `tool` does this for. */
export async function sqlitePathOf(invocation: Invocation, tool: string): Promise<string> {
  const { database } = await readStoreConfig(invocation);
  if (database.kind === 'sqlite') return database.path;
  throw configError(`The database is ${database.shown}. Use PostgreSQL's own ${tool} for it.`);
}
