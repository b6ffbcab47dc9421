import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { STORE_OPTIONS } from '../config/options.ts';
import { printResult } from './show/format-values.ts';

export const migrateCommand: Command = {
  summary: 'Create the database or migrate it to the current schema.',
  options: {
    'dry-run': { help: 'Only print the current version and what would be done' },
    ...JSON_OPTION,
    ...STORE_OPTIONS,
  },
  async run(invocation, output) {
    const [{ readStoreConfig }, { migrateStore }, { versionProblem }, { locationText }, { recordEvent }] =
      await Promise.all([
        import('./store/read-store-config.ts'),
        import('../store/migrate-store.ts'),
        import('../store/migrations.ts'),
        import('../store/database-url.ts'),
        import('./store/record-event.ts'),
      ]);
    const { database: location } = await readStoreConfig(invocation);
    const dryRun = invocation.flag('dry-run');
    const { from, to } = await migrateStore(location, { dryRun });
    if (!dryRun && from < to) {
      const versions = { before: { version: from }, after: { version: to } };
      await recordEvent(location, { action: 'database.migrate', ...versions }, output);
    }
    const unusable = versionProblem(from, to);
    const plan = unusable ? `${unusable.problem}. ${unusable.remedy}` : describePlan(from, to);
    const sentence = dryRun ? plan : describeResult(from, to);
    const json = invocation.flag('json');
    const shown = locationText(location);
    printResult(
      { output, json },
      { database: shown, from, to, applied: !dryRun && from < to },
      `${shown}: ${sentence}`,
    );
    return unusable ? EXIT_FAILED : 0;
  },
};

function describePlan(from: number, to: number): string {
  if (from === to) return `version ${to}; nothing to do.`;
  return from === 0
    ? `empty; \`gateway migrate\` would create version ${to}.`
    : `version ${from}; \`gateway migrate\` would migrate it to ${to}.`;
}

function describeResult(from: number, to: number): string {
  if (from === to) return `already at version ${to}.`;
  return from === 0 ? `created, version ${to}.` : `migrated from version ${from} to ${to}.`;
}
