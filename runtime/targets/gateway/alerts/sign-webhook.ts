import { createHmac } from 'node:crypto';
import { trimEndOf } from '#core/text/trim-text.ts';

const PREFIX = 'whsec_';
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

export const WEBHOOK_SECRET_RULE = `${PREFIX} followed by ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} random bytes in Base64`;

/**
 * The headers of a signed webhook. @see
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function webhookHeaders(
  secret: string,
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signature = createHmac('sha256', keyOf(secret) ?? Buffer.alloc(0))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}

export const isWebhookSecret = (secret: string): boolean => keyOf(secret) !== undefined;

/** The key in a secret; undefined if the secret is invalid. */
function keyOf(secret: string): Buffer | undefined {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  // A Base64 string that differs from its re-encoded value contains a typo.
  if (trimEndOf(key.toString('base64'), '=') !== trimEndOf(text, '=')) return undefined;
  return key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : undefined;
}
