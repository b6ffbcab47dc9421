import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { parseLossless } from '../../../core/json/lossless-json.ts';
import { answerError, unreachable } from './answer-error.ts';

/** A running manager, asked over its HTTP API. What it refuses, and that there is none, are AppErrors. */
export interface ManagerClient {
  readonly origin: string;
  /** Numbers that a double cannot hold stay as they are written, both ways. */
  get(path: string): Promise<unknown>;
  post(path: string, body?: unknown): Promise<unknown>;
  /** The lines of an answer as they come. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>;
  close(): Promise<void>;
}

export function createManagerClient(address: URL, apiKey: string | undefined): ManagerClient {
  const { origin } = address;
  const pool = new Pool(origin);
  const prefix = address.pathname.replace(/\/$/, '');
  const headers = {
    accept: 'application/json, application/x-ndjson',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };

  const send = async (
    method: 'GET' | 'POST',
    path: string,
    { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
  ) => {
    const content =
      body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    try {
      return await pool.request({ method, path: prefix + path, signal: signal ?? null, ...content });
    } catch (error) {
      throw unreachable(error, origin);
    }
  };
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    const answer = await send(method, path, { body });
    const contentType = String(answer.headers['content-type'] ?? '');
    const text = await answer.body.text();
    if (answer.statusCode === 200 && contentType.startsWith('application/json')) return parseLossless(text);
    throw answerError({ status: answer.statusCode, contentType, text }, origin);
  };

  return {
    origin,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    async *lines(path, signal) {
      const answer = await send('GET', path, { signal });
      const contentType = String(answer.headers['content-type'] ?? '');
      if (answer.statusCode !== 200 || !contentType.startsWith('application/x-ndjson')) {
        throw answerError({ status: answer.statusCode, contentType, text: await answer.body.text() }, origin);
      }
      try {
        // Empty lines only keep the connection open.
        for await (const line of createInterface({ input: answer.body })) if (line !== '') yield line;
      } catch (error) {
        if (!signal.aborted) throw unreachable(error, origin);
      }
    },
    close: () => pool.close(),
  };
}

/** `/api/v1/…`, each part as one segment whatever is in it. */
export const apiPath = (...parts: readonly string[]): string =>
  `/api/v1/${parts.map((part) => encodeURIComponent(part)).join('/')}`;

export const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;
