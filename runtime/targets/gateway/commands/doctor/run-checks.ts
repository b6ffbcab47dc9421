import type { Environment } from '#core/text/expand.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { type Finding, note, ok, problemFinding, checkPort } from '#serve/cli/doctor/finding.ts';
import { createRedactor } from '#serve/redact.ts';
import { readBundledMap } from '../../accounts/price-map/bundled-map.ts';
import { createPriceMap, type PriceMap } from '../../accounts/price-map/price-map.ts';
import { checkCachePrices } from './check-cache-prices.ts';
import { checkConfig } from './check-config.ts';
import { checkQueues } from './check-queues.ts';
import { checkProvider, type CheckedProvider } from './check-provider.ts';
import { checkSignIn } from './check-sign-in.ts';
import { checkWorkloads } from './check-workloads.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { openProviders } from './open-providers.ts';
import { request } from 'undici';
import type { ServerConfig } from '../../config/spec.ts';
import { suggest } from '#core/text/suggest.ts';
import type { ClassifierProfile, GuardrailProfile } from '../../requests/guardrails/guardrail.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { findModelKey } from '../../accounts/ledger/model-key.ts';
import type { ModelsConfig } from '../../requests/models/models-config.ts';
import { parseModel } from '../../shared/model-string.ts';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { messageOf } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { createPrices } from '../../accounts/ledger/prices.ts';
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

/** Runs all `doctor` checks. */
export async function runChecks(invocation: Invocation, env: Environment): Promise<Finding[]> {
  const { config, database, findings } = await checkConfig(invocation, env);
  if (!config)
    return [
      ...findings,
      ...(database ? (await checkDatabase(database, { autoMigrate: true })).findings : []),
    ];
  const stored = await checkDatabase(config.database, config);
  const merged = config.withStored(stored.entries ?? { providers: [], aliases: [] });
  const { models } = merged;
  const { opened, findings: refused } = openProviders(models.providers);
  try {
    const [address, signIn, workloads, webhooks, ...providers] = await Promise.all([
      checkAddress(config.server),
      checkSignIn(config.signIn),
      checkWorkloads(config.workloads),
      checkWebhooks(config.alerts?.webhook, models.guardrails.profiles),
      ...opened.map(checkProvider),
    ]);
    const all = [
      ...findings,
      checkMasterKey(config.masterKey),
      ...stored.findings,
      ...checkEntries('provider', merged.providers),
      ...checkEntries('alias', merged.aliases),
      ...refused,
      ...providers.map(({ finding }) => finding),
      ...checkGuardrails(models.guardrails.profiles, providers),
      ...webhooks,
      ...signIn,
      ...workloads,
      ...checkPrices(models, stored.prices, stored.priceMap ?? createPriceMap(readBundledMap())),
      ...checkCachePrices(models, stored.prices),
      address,
    ];
    // Provider messages can repeat a key that was sent.
    const { text } = createRedactor([...config.secrets, ...merged.secrets]);
    return all.map((finding) => ({ ...finding, message: text(finding.message) }));
  } finally {
    await Promise.all(opened.map(async ({ provider }) => await provider.close()));
  }
}

/** Reports database entries that the gateway ignores or only uses in part. */
const checkEntries = (
  noun: string,
  outcomes: ReadonlyMap<string, { readonly status: string; readonly problem: string | null }>,
): Finding[] =>
  [...outcomes].flatMap(([name, { status, problem: found }]) => {
    if (found === null) return [];
    const [what, message] = [`${noun} ${name}`, `in the database: ${found.replace(/\.$/, '')}`];
    return status === 'shadowed' ? [note(what, message)] : [problemFinding(what, message)];
  });

/** Reports a missing master key. A key that is too short is a configuration warning. */
const checkMasterKey = (key: string | undefined): Finding =>
  key === undefined
    ? note('master key', 'not set, so admin endpoints return 503; set GATEWAY_MASTER_KEY to use them')
    : ok('master key', `${key.length} characters`);

const TIMEOUT_MS = 3000;

/** Checks that the address is free, or that a gateway is already listening on it. */
async function checkAddress({ host, port, tls }: ServerConfig): Promise<Finding> {
  const hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const origin = `${tls ? 'https' : 'http'}://${hostname}:${port}`;
  const finding = await checkPort(
    { hostname, port, shown: origin },
    'a gateway',
    'Stop the program that listens on this port, or choose another port with --port.',
  );
  if (finding.state === 'problem' && (await isGateway(origin)))
    return ok('port', `a gateway is running at ${origin}`);
  return finding;
}

async function isGateway(origin: string): Promise<boolean> {
  try {
    const answer = await request(`${origin}/health/liveness`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await answer.body.text()) === JSON.stringify("I'm alive!");
  } catch {
    return false;
  }
}

/** Checks that each profile's encoder has the profile's labels: a label that it lacks would never be found. */
const checkGuardrails = (
  profiles: readonly GuardrailProfile[],
  providers: readonly CheckedProvider[],
): Finding[] =>
  profiles.flatMap((profile) => {
    if (!('labels' in profile)) return [];
    const encoder = providers.find(({ name }) => name === profile.encoder);
    // Already reported as a problem with the encoder.
    if (!encoder || encoder.finding.state !== 'ok') return [];
    return checkProfile(profile, encoder.labels);
  });

function checkProfile(
  { name, encoder, labels }: ClassifierProfile,
  known: readonly string[] | undefined,
): Finding[] {
  const what = `guardrail ${name}`;
  if (!known) {
    const message = `the encoder ${encoder} does not classify texts`;
    return [problemFinding(what, message, 'Use an encoder of type sequence_classification.')];
  }
  const unknown = labels.filter((label) => !known.includes(label));
  if (unknown.length === 0) return [ok(what, `the encoder ${encoder} has the labels ${labels.join(', ')}`)];
  return unknown.map((label) => {
    const suggestion = suggest(label, known);
    const hint = suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`;
    return problemFinding(
      what,
      `the encoder ${encoder} has no label ${JSON.stringify(label)}`,
      `Its labels are ${known.join(', ')}.${hint}`,
    );
  });
}

/** Reports alias targets without a price: requests for them are rejected, or their cost is not counted. */
function checkPrices(
  config: Pick<ModelsConfig, 'providers' | 'aliases' | 'pricing' | 'requirePricing' | 'allowUnpriced'>,
  stored: readonly Pick<Price, 'modelKey'>[] | undefined,
  priceMap: Pick<PriceMap, 'find'>,
): Finding[] {
  const { aliases, pricing, requirePricing, allowUnpriced } = config;
  // Already reported as a problem with the database.
  if (!stored) return [];
  const listedAs = new Map(
    config.providers.map((provider) => [
      provider.name,
      'listedAs' in provider ? provider.listedAs : undefined,
    ]),
  );
  const isListed = (key: string): boolean => {
    const name = parseModel(key);
    const provider = name && listedAs.get(name.provider);
    return provider !== undefined && priceMap.find(provider, name?.model ?? '')?.price !== undefined;
  };
  const known = new Set([...stored, ...pricing].map(({ modelKey }) => modelKey));
  const used = aliases.flatMap(({ targets, fallbacks = [] }) => [
    ...targets.map(({ model }) => model),
    ...fallbacks,
  ]);
  const missing = [...new Set(used.map(findModelKey))].filter((key) => !known.has(key) && !isListed(key));
  if (missing.length === 0)
    return used.length === 0 ? [] : [ok('prices', 'all models in aliases have a price')];
  const message = `no price for ${missing.join(', ')}`;
  const wayOut = 'Set it with `gateway pricing set <model> --input <dollars> --output <dollars>`.';
  if (requirePricing)
    return [problemFinding('prices', `${message}, so requests for them are rejected`, wayOut)];
  const effect = allowUnpriced
    ? 'so their cost is not counted in budgets'
    : 'so requests under a budget are rejected';
  return [{ ...note('prices', `${message}, ${effect}`), wayOut }];
}

interface CheckedDatabase {
  readonly findings: readonly Finding[];
  /** Current prices in the database; undefined if it cannot be read. */
  readonly prices: readonly Price[] | undefined;
  /** The price map in use; undefined for the one shipped with the program. */
  readonly priceMap?: PriceMap;
  /** Providers and aliases in the database; undefined if it cannot be read. */
  readonly entries?: StoredEntries;
}

interface DatabaseSettings {
  readonly autoMigrate: boolean;
  readonly masterKey?: string | undefined;
}

/** Checks database access, schema version and clock. Does not create a missing database. */
async function checkDatabase(
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
      findings: [problemFinding(SUBJECT, messageOf(explainOpenError(error, locationText(location))))],
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
    return { findings: [problemFinding(SUBJECT, `${shown} ${reason}`, remedy)], prices: undefined };
  }
  if (from < to) {
    const message = `${shown} has schema version ${from}; ${autoMigrate ? `the gateway migrates it to ${to} when it starts` : `this gateway requires ${to}`}`;
    const finding = autoMigrate
      ? note(SUBJECT, message)
      : problemFinding(SUBJECT, message, 'Run `gateway migrate`.');
    return { findings: [finding, ...clock], prices: [] };
  }
  const revision = followRevision(store, systemClock);
  const prices = await listAll(createPrices(store, revision, systemClock));
  return {
    entries: await createModelEntries(store, revision, { clock: systemClock, masterKey }).read(),
    priceMap: await createPriceMaps(store, revision, systemClock).current(),
    findings: [ok(SUBJECT, `${shown}, version ${to}`), ...clock, ...(await checkQueues(store))],
    prices,
  };
}

/**
 * Maximum tolerated clock difference. Beyond it, machines that share the database would reset budgets at
 * different times.
 */
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
  const message = `the clock of this machine is ${seconds} s ${direction} the database's clock`;
  return [problemFinding('clock', message, 'Synchronize both clocks with NTP.')];
}

/** Checks that a missing database file can be created. */
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
    return problemFinding(
      SUBJECT,
      `${path} does not exist, and ${folder} is not writable`,
      'Change its permissions, or choose another folder with --data-dir.',
    );
  }
}
