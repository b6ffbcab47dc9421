import { resolve } from 'node:path';
import type { Command } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { printResult } from '../show/print-result.ts';

export const restoreCommand: Command = {
  summary: 'Put a backup into the place of the SQLite database. No gateway can use it meanwhile.',
  positionals: '<file>',
  options: {
    ...commonOptions({
      force: { help: 'Replace an existing database, which is kept as <database>.before-restore' },
    }),
    ...JSON_OPTION,
    ...STORE_OPTIONS,
  },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<file>');
    const [{ sqlitePathOf }, { restoreSqlite }, { recordEvent }] = await Promise.all([
      import('./sqlite-path.ts'),
      import('../../store/sqlite/backup.ts'),
      import('../store/record-event.ts'),
    ]);
    const database = await sqlitePathOf(invocation, 'pg_restore');
    const file = resolve(name);
    const before = await restoreSqlite(file, database, invocation.flag('force'));
    const event = { action: 'database.restore', object: file, after: { replaced: before ?? null } };
    await recordEvent({ kind: 'sqlite', path: database }, event, output);
    const kept = before === undefined ? '' : ` The database before is ${before}.`;
    const json = invocation.flag('json');
    printResult(
      { output, json },
      { database, file, before: before ?? null },
      `Restored ${database} from ${file}.${kept}`,
    );
    return 0;
  },
};
