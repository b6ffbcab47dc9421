import { createJsonClient, type JsonClient } from '#serve/client/json-client.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { WebhookProfile } from '../guardrail.ts';
import {
  WEBHOOK_TIMEOUT_MS,
  limitTime,
  type Judged,
  type Judgement,
  type JudgeServices,
  type Webhooks,
} from './judgement.ts';

const MAX_ANSWER_BYTES = 65_536;
const MAX_REASON = 200;

export function createWebhooks(): Webhooks {
  const open = new Map<string, JsonClient>();
  return {
    of({ name, url, headers, timeoutMs = WEBHOOK_TIMEOUT_MS }) {
      const client =
        open.get(name) ??
        createJsonClient(url, {
          headers,
          connectMs: timeoutMs,
          answerMs: timeoutMs,
          maxResponseBytes: MAX_ANSWER_BYTES,
        });
      open.set(name, client);
      return client;
    },
    async close() {
      await Promise.all([...open.values()].map((client) => client.close()));
      open.clear();
    },
  };
}

/** The path to append to a URL that consists only of an origin; empty for all other URLs. */
const pathIn = ({ url }: WebhookProfile): string =>
  new URL(url).pathname === '/' && !url.endsWith('/') ? '/' : '';

/** Sends the texts to a server. Rejects if it does not decide in time. */
export async function judgeByWebhook(
  { webhooks, clock }: JudgeServices,
  profile: WebhookProfile,
  { place, texts, requestId, signal }: Judged,
): Promise<Judgement> {
  const { name, timeoutMs = WEBHOOK_TIMEOUT_MS } = profile;
  const body = JSON.stringify({ guardrail: name, request_id: requestId, place, texts });
  const { status, text } = await limitTime({ clock, signal, timeoutMs }, (limited) =>
    webhooks.of(profile).ask({ method: 'POST', path: pathIn(profile), body, signal: limited }),
  );
  if (status !== 200) throw new Error(`the server returned status ${status}`);
  const { verdict, reason, score } = membersOf(parseJsonText(text));
  if (typeof verdict !== 'boolean') throw new Error('the response from the server has no `verdict`');
  const words = typeof reason === 'string' ? reason.slice(0, MAX_REASON) : verdict ? 'allowed' : 'refused';
  const isScore = typeof score === 'number' && score >= 0 && score <= 1;
  return { valid: verdict, score: isScore ? score : Number(!verdict), explanation: words };
}
