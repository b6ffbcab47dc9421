import { expect } from 'vitest';
import { prefers, startModels } from '../../runtime/targets/gateway/requests/shadow/models-by-name.ts';
import type { Answer, Api } from '../shared-services.ts';
import { chatWith } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY } from './config.ts';

/** The evaluation of an alias with the target `openai:current`, in which the judge prefers the candidate. */
export const SHADOW = { model: 'openai:candidate', share: 1, user: 'evaluation', judge: 'openai:judge' };

/** Configuration with the models, and an alias in the file that has an evaluation. */
export async function startEvaluated(): Promise<object> {
  const { behaviors, url } = await startModels();
  behaviors.set('current', () => 'the current response');
  behaviors.set('candidate', () => 'a good response');
  behaviors.set('judge', prefers('good'));
  return {
    providers: { openai: { api_base: url, api_key: PROVIDER_KEY } },
    aliases: { fixed: { targets: ['openai:current'], shadow: SHADOW }, plain: 'openai:current' },
  };
}

/** The text with which the alias responds. */
export async function textOf(api: Api, alias: string, key: string): Promise<string> {
  const { body, status, text } = await api.post('/v1/chat/completions', chatWith(alias), asKey(key));
  if (status !== 200) throw new Error(text);
  return body.choices[0].message.content as string;
}

/** Sends 30 requests to the gateways in turns, and waits until all are compared. Returns the evaluation. */
export async function compareThirty(
  [first, ...others]: readonly [Api, ...Api[]],
  alias: string,
  key: string,
): Promise<Answer['body']> {
  const gateways = [first, ...others];
  await Promise.all(
    Array.from({ length: 30 }, (_, at) => textOf(gateways[at % gateways.length] ?? first, alias, key)),
  );
  const evaluation = async () => (await first.get(`/v1/shadow/${alias}`, AS_MASTER)).body;
  await expect.poll(async () => (await evaluation()).rows, { timeout: 60_000 }).toBe(30);
  await expect.poll(async () => (await evaluation()).decided_at, { timeout: 60_000 }).not.toBeNull();
  return await evaluation();
}
