import type { LoadGateway } from './gateway.ts';

/** A client request to any model route. */
export interface DoorRequest {
  readonly path: string;
  readonly body: object;
  readonly isStream: boolean;
}

const MESSAGES = [{ role: 'user', content: 'Hello' }];

/** Every API, with and without streaming. */
export function doorsOf(model: string): readonly DoorRequest[] {
  const both = (path: string, body: object): DoorRequest[] =>
    [false, true].map((isStream) => ({ path, body: { ...body, model, stream: isStream }, isStream }));
  const gemini = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
  return [
    ...both('/v1/chat/completions', { messages: MESSAGES }),
    ...both('/v1/messages', { messages: MESSAGES, max_tokens: 100 }),
    ...both('/v1/responses', { input: 'Hello' }),
    { path: '/v1/embeddings', body: { model, input: 'Hello' }, isStream: false },
    { path: `/v1beta/models/${model}:generateContent`, body: gemini, isStream: false },
    { path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body: gemini, isStream: true },
  ];
}

/** Sends a request. Resolves with its complete response; rejects if it fails or is interrupted. */
export async function send(
  { url, key }: Pick<LoadGateway, 'url' | 'key'>,
  { path, body }: Pick<DoorRequest, 'path' | 'body'>,
  signal?: AbortSignal,
): Promise<string> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/** Runs tasks with a fixed concurrency, up to a number of tasks or until one returns false. */
export async function inParallel(
  count: number,
  limit: number,
  run: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) if ((await run(next++)) === false) return;
  };
  await Promise.all(Array.from({ length: limit }, work));
}
