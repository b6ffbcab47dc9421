import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { messageOf } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { type Finding, note, ok, problem } from '#serve/cli/doctor/finding.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { createPrices } from '../../accounts/ledger/prices.ts';
import type { PriceMap } from '../../accounts/price-map/price-map.ts';
import { createPriceMaps } from '../../accounts/price-map/price-maps.ts';
import { createModelEntries } from '../../accounts/registry/create-model-entries.ts';
import type { StoredEntries } from '../../accounts/registry/model-entries.ts';
import { explainOpenError } from '../../store/database-error.ts';
import { type DatabaseLocation, locationText } from '../../store/database-url.ts';
import { followRevision } from '../../store/followed-revision.ts';
import { listAll } from '../../store/list-all.ts';
import { versionsOf } from '../../store/migrate.ts';
import { versionProblem } from '../../store/migrations.ts';
import { openDatabase } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';

export interface CheckedDatabase {
  readonly findings: readonly Finding[];
  /** Current prices in the database; undefined if it cannot be read. */
  readonly prices: readonly Price[] | undefined;
  /** The price map that is in use; undefined for the one that ships with the program. */
  readonly priceMap?: PriceMap;
  /** Providers and aliases in the database; undefined if it cannot be read. */
  readonly entries?: StoredEntries;
}

interface DatabaseSettings {
  readonly autoMigrate: boolean;
  readonly masterKey?: string | undefined;
}

/** Checks access to the database, its schema version and its clock. Does not create a database that does not exist. */
export async function checkDatabase(
  location: DatabaseLocation,
  { autoMigrate, masterKey }: DatabaseSettings,
): Promise<CheckedDatabase> {
  if (location.kind === 'sqlite' && !existsSync(location.path)) {
    return { findings: [checkMissingFile(location.path)], prices: [] };
  }
  try {
    const store = openDatabase(location);
    try {
      return await checkStore(store, locationText(location), { autoMigrate, masterKey });
    } finally {
      await store.close();
    }
  } catch (error) {
    return {
      findings: [problem(SUBJECT, messageOf(explainOpenError(error, locationText(location))))],
      prices: undefined,
    };
  }
}

const SUBJECT = 'database';

async function checkStore(
  store: Store,
  shown: string,
  { autoMigrate, masterKey }: DatabaseSettings,
): Promise<CheckedDatabase> {
  const { from, to } = await versionsOf(store);
  const clock = await checkClock(store);
  const unusable = versionProblem(from, to);
  if (unusable) {
    const { problem: reason, remedy } = unusable;
    return { findings: [problem(SUBJECT, `${shown} ${reason}`, remedy)], prices: undefined };
  }
  if (from < to) {
    const message = `${shown} has schema version ${from}; ${autoMigrate ? `the gateway migrates it to ${to} when it starts` : `this gateway requires ${to}`}`;
    const finding = autoMigrate
      ? note(SUBJECT, message)
      : problem(SUBJECT, message, 'Run `gateway migrate`.');
    return { findings: [finding, ...clock], prices: [] };
  }
  const revision = followRevision(store, systemClock);
  const prices = await listAll(createPrices(store, revision, systemClock));
  return {
    entries: await createModelEntries(store, revision, { clock: systemClock, masterKey }).read(),
    priceMap: await createPriceMaps(store, revision, systemClock).current(),
    findings: [ok(SUBJECT, `${shown}, version ${to}`), ...clock],
    prices,
  };
}

/** Maximum tolerated difference. With a larger one, machines that share the database reset budgets at different times. */
const MAX_SKEW_MS = 5000;

async function checkClock({ db, kind }: Store): Promise<Finding[]> {
  if (kind === 'sqlite') return [];
  const before = Date.now();
  const { rows } = await sql<{ readonly now: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as now
  `.execute(db);
  const after = Date.now();
  const databaseTime = rows[0]?.now ?? 0;
  const skew = databaseTime < before ? databaseTime - before : Math.max(0, databaseTime - after);
  if (Math.abs(skew) <= MAX_SKEW_MS) return [ok('clock', 'in sync with the clock of the database')];
  const seconds = Math.round(Math.abs(skew) / 1000);
  const direction = skew > 0 ? 'behind' : 'ahead of';
  const message = `the clock of this machine is ${seconds} s ${direction} that of the database`;
  return [problem('clock', message, 'Synchronize both clocks with NTP.')];
}

/** Checks that a database file that does not exist yet can be created. */
function checkMissingFile(path: string): Finding {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return note(
      SUBJECT,
      `${path} does not exist yet; \`gateway serve\` or \`gateway migrate\` will create it`,
    );
  } catch {
    return problem(
      SUBJECT,
      `${path} does not exist, and ${folder} is not writable`,
      'Change its permissions, or choose another folder with --data-dir.',
    );
  }
}
