import { createInterface } from 'node:readline';
import { parseLossless } from '../../../core/json/lossless-json.ts';
import { createJsonClient } from '../../../serve/client/json-client.ts';
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
  const client = createJsonClient(address, {
    headers: {
      accept: 'application/json, application/x-ndjson',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
  });
  const reach = async <Response>(response: Promise<Response>): Promise<Response> => {
    try {
      return await response;
    } catch (error) {
      throw unreachable(error, origin);
    }
  };
  const ask = async (method: 'GET' | 'POST', path: string, value?: unknown): Promise<unknown> => {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const { status, header, text } = await reach(client.ask({ method, path, body }));
    const contentType = header('content-type');
    if (status === 200 && contentType.startsWith('application/json')) return parseLossless(text);
    throw answerError({ status, contentType, text }, origin);
  };

  return {
    origin,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    async *lines(path, signal) {
      const { status, header, body } = await reach(client.open({ method: 'GET', path, signal }));
      const contentType = header('content-type');
      if (status !== 200 || !contentType.startsWith('application/x-ndjson')) {
        throw answerError({ status, contentType, text: await body.text() }, origin);
      }
      try {
        // Empty lines only keep the connection open.
        for await (const line of createInterface({ input: body })) if (line !== '') yield line;
      } catch (error) {
        if (!signal.aborted) throw unreachable(error, origin);
      }
    },
    close: () => client.close(),
  };
}

/** `/api/v1/…`, each part as one segment whatever is in it. */
export const apiPath = (...parts: readonly string[]): string =>
  `/api/v1/${parts.map((part) => encodeURIComponent(part)).join('/')}`;

export const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;
