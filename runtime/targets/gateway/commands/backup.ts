import { resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { Invocation, Command } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { STORE_OPTIONS } from '../config/options.ts';
import { printResult } from './show/format-values.ts';

/** The path of the SQLite database. For PostgreSQL, throws a ConfigError that suggests `tool` instead. */
async function sqlitePathOf(invocation: Invocation, tool: string): Promise<string> {
  const { readStoreConfig } = await import('./store/read-store-config.ts');
  const { database } = await readStoreConfig(invocation);
  if (database.kind === 'sqlite') return database.path;
  throw configError(`The database is ${database.shown}. Use PostgreSQL's ${tool} instead.`);
}

export const backupCommand: Command = {
  summary: 'Write a consistent copy of the SQLite database to a file, even while gateways are using it.',
  positionals: '<file>',
  options: { ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<file>');
    const [{ backUpSqlite }, { statSync }, { recordEvent }] = await Promise.all([
      import('../store/sqlite/backup.ts'),
      import('node:fs'),
      import('./store/record-event.ts'),
    ]);
    const database = await sqlitePathOf(invocation, 'pg_dump');
    const file = resolve(name);
    const found = statSync(database, { throwIfNoEntry: false });
    if (!found)
      throw configError(`${database} does not exist. Choose another database with -c or --database-url.`);
    if (statSync(file, { throwIfNoEntry: false })?.ino === found.ino)
      throw configError(`${file} is the database itself. Choose another file for the backup.`);
    backUpSqlite(database, file);
    const event = { action: 'database.backup', object: file };
    await recordEvent({ kind: 'sqlite', path: database }, event, output);
    const bytes = statSync(file).size;
    const json = invocation.flag('json');
    printResult(
      { output, json },
      { database, file, bytes },
      `Wrote ${file} (${bytes} bytes) from ${database}.`,
    );
    return 0;
  },
};

export const restoreCommand: Command = {
  summary:
    'Replace the SQLite database with a backup. Gateways cannot use the database while it is replaced.',
  positionals: '<file>',
  options: {
    ...commonOptions({
      force: { help: 'Replace an existing database and keep it as <database>.before-restore' },
    }),
    ...JSON_OPTION,
    ...STORE_OPTIONS,
  },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<file>');
    const [{ restoreSqlite }, { recordEvent }] = await Promise.all([
      import('../store/sqlite/backup.ts'),
      import('./store/record-event.ts'),
    ]);
    const database = await sqlitePathOf(invocation, 'pg_restore');
    const file = resolve(name);
    const before = await restoreSqlite(file, database, invocation.flag('force'));
    const event = { action: 'database.restore', object: file, after: { replaced: before ?? null } };
    await recordEvent({ kind: 'sqlite', path: database }, event, output);
    const kept = before === undefined ? '' : ` The previous database is kept as ${before}.`;
    const json = invocation.flag('json');
    printResult(
      { output, json },
      { database, file, before: before ?? null },
      `Restored ${database} from ${file}.${kept}`,
    );
    return 0;
  },
};
