import type { Environment } from '#core/text/expand.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { type Finding, note, ok, problem } from '#serve/cli/doctor/finding.ts';
import { createRedactor } from '#serve/redact.ts';
import { readBundledMap } from '../../accounts/price-map/bundled-map.ts';
import { createPriceMap } from '../../accounts/price-map/price-map.ts';
import { checkAddress } from './check-address.ts';
import { checkCachePrices } from './check-cache-prices.ts';
import { checkConfig } from './check-config.ts';
import { checkDatabase } from './check-database.ts';
import { checkGuardrails } from './check-guardrails.ts';
import { checkPrices } from './check-prices.ts';
import { checkProvider } from './check-provider.ts';
import { checkSignIn } from './check-sign-in.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { openProviders } from './open-providers.ts';

/** Runs all checks of `doctor`. */
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
    const [address, signIn, webhooks, ...providers] = await Promise.all([
      checkAddress(config.server),
      checkSignIn(config.signIn),
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
      ...checkPrices(models, stored.prices, stored.priceMap ?? createPriceMap(readBundledMap())),
      ...checkCachePrices(models, stored.prices),
      address,
    ];
    // Messages of providers can repeat a key that was sent to them.
    const { text } = createRedactor([...config.secrets, ...merged.secrets]);
    return all.map((finding) => ({ ...finding, message: text(finding.message) }));
  } finally {
    await Promise.all(opened.map(async ({ provider }) => await provider.close()));
  }
}

/** Reports entries of the database that the gateway does not use, or uses in part. */
const checkEntries = (
  noun: string,
  outcomes: ReadonlyMap<string, { readonly status: string; readonly problem: string | null }>,
): Finding[] =>
  [...outcomes].flatMap(([name, { status, problem: found }]) => {
    if (found === null) return [];
    const [what, message] = [`${noun} ${name}`, `in the database: ${found.replace(/\.$/, '')}`];
    return status === 'shadowed' ? [note(what, message)] : [problem(what, message)];
  });

/** Reports a missing master key. One that is too short is a warning of the configuration. */
const checkMasterKey = (key: string | undefined): Finding =>
  key === undefined
    ? note('master key', 'not set, so admin endpoints return 503; set GATEWAY_MASTER_KEY to use them')
    : ok('master key', `${key.length} characters`);
