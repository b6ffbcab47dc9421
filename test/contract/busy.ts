import { ask } from './http-client.ts';

/** Texts that keep a model busy for a while. */
export const WORK = Array.from({ length: 2000 }, (_, at) => `${at} words go on and on `.repeat(20));

/** A metric without labels in /metrics. */
export async function metric(url: string, name: string): Promise<number> {
  const { text } = await ask(`${url}/metrics`);
  const [, value] = new RegExp(`^${name} (\\d+)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`no ${name} in ${text}`);
  return Number(value);
}

/** Waits until at least one request is in progress. */
export async function untilBusy(url: string): Promise<void> {
  while ((await metric(url, 'encoder_queued_inputs')) === 0);
}

/** Waits until all requests have been completed or canceled. */
export async function untilIdle(url: string): Promise<void> {
  while ((await metric(url, 'encoder_queued_inputs')) > 0);
}
