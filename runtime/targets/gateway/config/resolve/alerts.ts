import { FORECAST_OWNERS } from '../../accounts/ledger/budget-alerts.ts';
import {
  type AlertsConfig,
  DEFAULT_CERTAINTY,
  DEFAULT_THRESHOLDS,
  type Webhook,
} from '../../alerts/alert-message.ts';
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from '../../alerts/sign-webhook.ts';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { trimLineEnd } from '../../shared/sendable-key.ts';
import { type AlertsEntry, webhook } from '../schemas/alerts.ts';
import { isLocalUrl } from './base-url.ts';
import { durationIn, type ResolveContext } from './context.ts';

const PATH = ['alerts', 'webhook'];
/** Shorter than the lease on an alert. */
const MAX_TIMEOUT_MS = 30_000;

/** Returns the budget alerts; undefined if disabled. */
export function resolveAlerts(
  context: ResolveContext,
  entry: AlertsEntry | undefined,
): AlertsConfig | undefined {
  if (entry === undefined) return undefined;
  const thresholds = [...new Set(entry.thresholds ?? DEFAULT_THRESHOLDS)].toSorted((a, b) => a - b);
  return {
    thresholds,
    forecast: entry.forecast && {
      certainty: entry.forecast.certainty ?? DEFAULT_CERTAINTY,
      owners: entry.forecast.owners ?? FORECAST_OWNERS,
    },
    webhook: entry.webhook && resolveWebhook(context, entry.webhook),
  };
}

function resolveWebhook(
  context: ResolveContext,
  entry: NonNullable<AlertsEntry['webhook']>,
): Webhook | undefined {
  const { report, secrets } = context;
  const secret = trimLineEnd(entry.secret);
  secrets.add(secret, ['secret']);
  if (!isWebhookSecret(secret)) report([...PATH, 'secret'], `expected ${WEBHOOK_SECRET_RULE}`);
  const timeoutMs = durationIn(
    context,
    [...PATH, 'timeout'],
    entry.timeout ?? webhook.properties.timeout.default,
  );
  if (timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS)
    report([...PATH, 'timeout'], `expected a time of at most 30s, found ${timeoutMs / 1000}s`);
  const problem = urlProblem(entry.url);
  if (problem !== undefined) {
    report([...PATH, 'url'], problem);
    return undefined;
  }
  const isLocal = isLocalUrl(entry.url);
  if (entry.local === false && isLocal && isIpAddress(new URL(entry.url).hostname))
    report([...PATH, 'local'], 'is false, but `url` has a private address; correct one of them');
  return { url: entry.url, secret, local: entry.local ?? isLocal, timeoutMs };
}

/** The messages contain no URL, because its path or query can be a secret. */
function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'expected a URL that starts with http:// or https://';
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return 'expected a URL without credentials and without a fragment (`#`); receivers verify the gateway by its signatures';
  if (isIpAddress(url.hostname) && addressKind(url.hostname) === 'never')
    return `${url.hostname} is not a server address; correct it`;
  return undefined;
}
