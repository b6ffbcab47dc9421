import type { Api } from '../shared-services.ts';
import { AS_MASTER } from './config.ts';

/** A key as returned by `POST /v1/keys`. */
export async function createKey(api: Api, key: object = {}): Promise<string> {
  const { status, body, text } = await api.post('/v1/keys', key, AS_MASTER);
  if (status !== 200) throw new Error(`no key: ${text}`);
  return body.key as string;
}

export const chatWith = (model: string, more: object = {}): object => ({
  model,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});

/** A stream whose beginning has arrived. */
export interface BegunStream {
  /** The complete stream, once it has ended. */
  readonly rest: Promise<string>;
}

/** Requests a stream and waits for its first words. */
export async function beginStream(
  { url }: Pick<Api, 'url'>,
  model: string,
  headers: Record<string, string>,
): Promise<BegunStream> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(chatWith(model, { stream: true })),
  });
  if (!answer.ok || !answer.body) throw new Error(`no stream: ${await answer.text()}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader.read();
  const readRest = async (): Promise<string> => {
    let text = first.value ?? '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
    return text;
  };
  return { rest: readRest() };
}
