import { resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { printResult } from '../show/print-result.ts';

export const backupCommand: Command = {
  summary: 'Write a consistent copy of the SQLite database to a file, also while gateways use it.',
  positionals: '<file>',
  options: { ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<file>');
    const [{ sqlitePathOf }, { backUpSqlite }, { statSync }, { recordEvent }] = await Promise.all([
      import('./sqlite-path.ts'),
      import('../../store/sqlite/backup.ts'),
      import('node:fs'),
      import('../store/record-event.ts'),
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
