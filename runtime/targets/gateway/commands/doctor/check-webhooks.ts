import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { messageOf } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { type Finding, ok, problemFinding } from '#serve/cli/doctor/finding.ts';
import type { Webhook } from '../../alerts/alert-message.ts';
import { checkedUrl, providerLookup } from '../../providers/adapters/upstream.ts';
import type { GuardrailProfile, WebhookProfile } from '../../requests/guardrails/guardrail.ts';
import { createWebhooks, judgeByWebhook } from '../../requests/guardrails/judges/webhooks.ts';

/** Checks the alert webhook and the guardrail webhooks. */
export const checkWebhooks = async (
  alerts: Webhook | undefined,
  profiles: readonly GuardrailProfile[],
): Promise<Finding[]> =>
  await Promise.all([
    ...(alerts ? [checkAlerts(alerts)] : []),
    ...profiles.filter((profile) => profile.kind === 'webhook').map(checkGuardrail),
  ]);

const ALERTS = 'alerts webhook';

/**
 * A HEAD request, because a receiver would treat any message as an alert. Any response shows that the server
 * is there; most reject the method, some of them with 501 instead of 405.
 */
async function checkAlerts({ url, local, timeoutMs }: Webhook): Promise<Finding> {
  // The path can be a secret, as in chat webhooks.
  const { origin } = new URL(url);
  const agent = new Agent({ connect: { timeout: timeoutMs, lookup: providerLookup(local) } });
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode: status, body } = await request(checkedUrl('alerts.webhook', url, local), {
      method: 'HEAD',
      dispatcher: agent,
      signal,
    });
    await body.dump().catch(() => undefined);
    if (status < 500 || status === METHOD_NOT_IMPLEMENTED)
      return ok(ALERTS, `${origin} is reachable; send a test message with \`gateway alerts test\``);
    return problemFinding(ALERTS, `${origin} returned status ${status}`, ALERTS_REMEDY);
  } catch (error) {
    return problemFinding(ALERTS, `${origin}: ${messageOf(error).replace(/\.$/, '')}`, ALERTS_REMEDY);
  } finally {
    await agent.destroy();
  }
}

const METHOD_NOT_IMPLEMENTED = 501;
const ALERTS_REMEDY = 'Check `alerts.webhook`, whether the receiver is running, and the network.';

/** Requests a verdict on one word. Encoders are checked in the same way. */
async function checkGuardrail(profile: WebhookProfile): Promise<Finding> {
  const what = `guardrail ${profile.name}`;
  const { origin } = new URL(profile.url);
  const webhooks = createWebhooks();
  const services = { webhooks, clock: systemClock, classifier: () => undefined };
  try {
    await judgeByWebhook(services, profile, {
      place: 'input',
      texts: ['word'],
      requestId: randomUUID(),
      signal: new AbortController().signal,
    });
    return ok(what, `${origin} returns verdicts`);
  } catch (error) {
    const message = `${origin}: ${messageOf(error).replace(/\.$/, '')}`;
    return problemFinding(
      what,
      message,
      'Check its `webhook`, whether the server is running, and the network.',
    );
  } finally {
    await webhooks.close();
  }
}
