import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** A response as counted by the provider. */
interface CountedAnswer {
  /** The number of input tokens identifies the response, so that a usage row can be matched with it. */
  readonly promptTokens: number;
  /** For an interrupted stream, the words that were sent. */
  completionTokens: number;
}

/** A provider with OpenAI's API that counts its responses. */
export interface CountingProvider {
  readonly port: number;
  readonly answers: readonly CountedAnswer[];
  readonly close: () => void;
}

export interface ProviderPace {
  /** Delay before a response begins. */
  readonly beforeMs?: number;
  /** Delay between the words of a stream. */
  readonly wordMs?: number;
  /** Number of words in a response; a word is one token. Default: a random number up to 20. */
  readonly words?: number;
  /** The first number of input tokens. Undefined: the number of words in the prompt. */
  readonly firstNumber?: number;
}

const WORD = ' the';

export async function startCountingProvider(pace: ProviderPace = {}): Promise<CountingProvider> {
  const answers: CountedAnswer[] = [];
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = parseJsonText(Buffer.concat(chunks).toString());
    const isStream = isObject(body) && body['stream'] === true;
    const words = pace.words ?? 1 + Math.floor(Math.random() * 20);
    if (pace.beforeMs !== undefined) await sleep(pace.beforeMs);
    const promptTokens = (pace.firstNumber ?? 0) + answers.length;
    const counted = { promptTokens, completionTokens: 0 };
    answers.push(counted);
    if (request.url?.endsWith('/embeddings')) {
      const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
      sendJson(response, {
        object: 'list',
        model: 'm',
        data: [{ object: 'embedding', index: 0, embedding: [1] }],
        usage,
      });
      return;
    }
    const base = { id: 'c', created: 1, model: 'm' };
    const usageOf = (completion: number) => ({
      prompt_tokens: promptTokens,
      completion_tokens: completion,
      total_tokens: promptTokens + completion,
    });
    if (!isStream) {
      counted.completionTokens = words;
      const message = { role: 'assistant', content: WORD.repeat(words) };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      sendJson(response, { ...base, object: 'chat.completion', choices, usage: usageOf(words) });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, more: object = {}): void => {
      const choices = [{ index: 0, delta, finish_reason: null, ...more }];
      response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices })}\n\n`);
    };
    for (let word = 0; word < words && !response.destroyed; word += 1) {
      send({ content: WORD });
      counted.completionTokens += 1;
      if (pace.wordMs !== undefined) await sleep(pace.wordMs);
    }
    send({}, { finish_reason: 'stop' });
    const last = { ...base, object: 'chat.completion.chunk', choices: [], usage: usageOf(words) };
    response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
  };
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function sendJson(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
