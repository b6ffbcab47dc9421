import { randomUUIDv7 } from 'node:crypto';
import { AppError, messageOf } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { repeat } from '../accounts/ledger/repeat.ts';
import type { AlertRow } from '../store/record-schema.ts';
import { alertMessage, type AlertsConfig, alertText, type Webhook } from './alert-message.ts';
import type { Outbox } from './outbox.ts';
import { Agent, request } from 'undici';
import { checkedUrl, providerLookup } from '../providers/adapters/upstream.ts';
import { webhookHeaders } from './sign-webhook.ts';

/** Outcome of a delivery attempt, for metrics. */
type AlertOutcome = 'sent' | 'retried' | 'failed';

export interface AlertDelivery {
  /** Sends alerts that are due. */
  readonly run: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface DeliveryParts {
  readonly outbox: Outbox;
  /** The current configuration; a reload replaces it. */
  readonly config: () => AlertsConfig | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly count: (outcome: AlertOutcome) => void;
  readonly onError: (error: unknown) => void;
}

const INTERVAL_MS = 2000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Delays before the second and later attempts. After the last one, more than a day later, the alert has failed. */
const DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  8 * HOUR,
  16 * HOUR,
];

/** Sends alerts to the webhook while the gateway runs. Gateways that share a database divide the alerts. */
export function createAlertDelivery(parts: DeliveryParts): AlertDelivery {
  const { outbox, config, clock, onError } = parts;
  const run = async (): Promise<void> => {
    const webhook = config()?.webhook;
    if (!webhook) return;
    for (const alert of await outbox.due())
      if (await outbox.lease(alert)) await attempt(parts, webhook, alert);
  };
  const repeated = repeat(clock, INTERVAL_MS, run, onError);
  return { run, close: repeated.stop };
}

async function attempt(
  { outbox, clock, random, log, count }: DeliveryParts,
  webhook: Webhook,
  alert: AlertRow,
): Promise<void> {
  const { id } = alert;
  const attempts = alert.attempts + 1;
  const result = await sendWebhook(webhook, id, alertMessage(alert), clock.now());
  if (result.kind === 'accepted') {
    await outbox.sent(id);
    count('sent');
    log.info({ alert: id, attempts }, `Alert sent: ${alertText(alert)}`);
    return;
  }
  const delay = DELAYS_MS[attempts - 1];
  // Spreads retries, so that alerts that failed together are not retried together.
  await outbox.failed(id, result.problem, delay === undefined ? undefined : delay * (0.75 + random() / 2));
  const details = { alert: id, attempts, problem: result.problem };
  if (delay === undefined) {
    count('failed');
    log.error(details, `Alert could not be sent and will not be retried: ${alertText(alert)}`);
  } else {
    count('retried');
    log.warn(details, 'Alert could not be sent; it will be retried.');
  }
}

/** Sends a test message. Throws an AppError if no webhook is configured or the webhook did not accept the message. */
export async function sendTestAlert(
  webhook: Webhook | undefined,
  now: number,
): Promise<{ readonly id: string; readonly to: string; readonly status: number }> {
  if (!webhook)
    throw new AppError('ConflictError', 'No webhook is configured. Set `alerts.webhook` in gateway.yml.', {
      reason: 'no_webhook',
    });
  const id = `alert_test_${randomUUIDv7()}`;
  // The path can be a secret, as in chat webhooks.
  const to = new URL(webhook.url).origin;
  const message = {
    type: 'alert.test',
    timestamp: rfc3339(now),
    data: { id, message: "This is a test of the gateway's alerts." },
  };
  const result = await sendWebhook(webhook, id, message, now);
  if (result.kind === 'accepted') return { id, to, status: result.status };
  throw new AppError('UpstreamError', `The webhook at ${to} did not accept the test: ${result.problem}.`, {
    reason: 'webhook_failed',
  });
}

/** Whether the receiver accepted a message; if not, the reason, which contains no secret and no path. */
type WebhookResult =
  | { readonly kind: 'accepted'; readonly status: number }
  | { readonly kind: 'refused'; readonly problem: string };

/**
 * Sends a signed message. Redirects are not followed, because they would bypass the address check. Never
 * throws: an unreachable webhook is a result.
 */
async function sendWebhook(
  { url, secret, local, timeoutMs }: Webhook,
  id: string,
  message: object,
  now: number,
): Promise<WebhookResult> {
  const body = JSON.stringify(message);
  const agent = new Agent({ connect: { timeout: timeoutMs, lookup: providerLookup(local) } });
  try {
    const { statusCode: status, body: answer } = await request(checkedUrl('alerts.webhook', url, local), {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'encoderfile-gateway',
        ...webhookHeaders(secret, id, Math.floor(now / 1000), body),
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.dump().catch(() => undefined);
    return status >= 200 && status < 300
      ? { kind: 'accepted', status }
      : { kind: 'refused', problem: `HTTP ${status}` };
  } catch (error) {
    return { kind: 'refused', problem: messageOf(error) };
  } finally {
    await agent.destroy();
  }
}
