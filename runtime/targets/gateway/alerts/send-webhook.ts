import { Agent, request } from 'undici';
import { messageOf } from '#contract/errors.ts';
import { checkedUrl, providerLookup } from '../providers/adapters/http/upstream.ts';
import type { Webhook } from './alerts-config.ts';
import { webhookHeaders } from './sign-webhook.ts';

/** Whether the receiver accepted a message, or why not. The reason contains no secret and no path. */
export type WebhookResult =
  | { readonly kind: 'accepted'; readonly status: number }
  | { readonly kind: 'refused'; readonly problem: string };

/**
 * Sends a signed message. Redirects are not followed, because they would bypass the check of addresses. Never throws: a webhook that
 * cannot be reached is a result.
 */
export async function sendWebhook(
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
