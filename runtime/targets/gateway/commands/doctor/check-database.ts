import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { messageOf } from '../../../../contract/errors.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { type Finding, note, ok, problem } from '../../../../serve/cli/doctor/finding.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { createPrices } from '../../accounts/ledger/prices.ts';
import type { Store } from '../../store/store.ts';
import { explainOpenError } from '../../store/database-error.ts';
import { type DatabasePlace, shownPlace } from '../../store/database-url.ts';
import { followRevision } from '../../store/followed-revision.ts';
import { versionsOf } from '../../store/migrate.ts';
import { openDatabase } from '../../store/open-store.ts';
import { everyPage } from '../../store/every-page.ts';

export interface CheckedDatabase {
  readonly findings: readonly Finding[];
  /** The current prices there; undefined if it cannot be asked. */
  readonly prices: readonly Price[] | undefined;
}

/** Whether it can be used, its version, and its clock. Nothing is made where there is none. */
export async function checkDatabase(place: DatabasePlace, autoMigrate: boolean): Promise<CheckedDatabase> {
  if (place.kind === 'sqlite' && !existsSync(place.path)) {
    return { findings: [checkPlace(place.path)], prices: [] };
  }
  try {
    const store = openDatabase(place);
    try {
      return await look(store, shownPlace(place), autoMigrate);
    } finally {
      await store.close();
    }
  } catch (error) {
    return {
      findings: [problem(WHAT, messageOf(explainOpenError(error, shownPlace(place))))],
      prices: undefined,
    };
  }
}

const WHAT = 'database';

async function look(store: Store, shown: string, autoMigrate: boolean): Promise<CheckedDatabase> {
  const { from, to } = await versionsOf(store);
  const clock = await checkClock(store);
  if (from > to) {
    const message = `${shown} is of version ${from}, and this gateway knows versions up to ${to}`;
    return {
      findings: [problem(WHAT, message, 'Use the newer gateway that made it, or another database.')],
      prices: undefined,
    };
  }
  if (from < to) {
    const message = `${shown} is of version ${from}; ${autoMigrate ? `the gateway brings it to ${to} when it starts` : `it has to be ${to}`}`;
    const finding = autoMigrate ? note(WHAT, message) : problem(WHAT, message, 'Run `gateway migrate`.');
    return { findings: [finding, ...clock], prices: [] };
  }
  const prices = await everyPage(createPrices(store, followRevision(store, systemClock), systemClock));
  return {
    findings: [ok(WHAT, `${shown}, version ${to}`), ...clock],
    prices,
  };
}

/** More than this, and windows of budgets begin and end at wrong times where several machines use one database. */
const MOST_SKEW_MS = 5000;

async function checkClock({ db, kind }: Store): Promise<Finding[]> {
  if (kind === 'sqlite') return [];
  const before = Date.now();
  const { rows } = await sql<{ readonly now: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as now
  `.execute(db);
  const after = Date.now();
  const theirs = rows[0]?.now ?? 0;
  const skew = theirs < before ? theirs - before : Math.max(0, theirs - after);
  if (Math.abs(skew) <= MOST_SKEW_MS) return [ok('clock', 'agrees with the clock of the database')];
  const seconds = Math.round(Math.abs(skew) / 1000);
  const direction = skew > 0 ? 'behind' : 'ahead of';
  const message = `this machine is ${seconds} s ${direction} the database`;
  return [problem('clock', message, 'Let both take their time from the network (NTP).')];
}

/** Of a file that is not there yet. */
function checkPlace(path: string): Finding {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return note(WHAT, `${path} is not there yet; \`gateway serve\` and \`gateway migrate\` make it`);
  } catch {
    return problem(
      WHAT,
      `${path} is not there, and ${folder} may not be written`,
      'Change its permissions, or set --data-dir.',
    );
  }
}
