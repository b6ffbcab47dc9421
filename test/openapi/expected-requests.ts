import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from '../helpers/paths.ts';

/** A call of an operation in `fixtures/openapi/styles.json`, with the values as the manager and as swagger-client take them. */
interface RequestCase {
  readonly operationId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly requestBody?: unknown;
}

/** A request as a server receives it. */
export interface ExpectedRequest extends RequestCase {
  readonly request: {
    readonly method: string;
    /** Path and query. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  };
}

interface Client {
  readonly buildRequest: (options: object) => {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
  };
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(FIXTURES, 'openapi', file), 'utf8'));

/** Builds the requests with swagger-client, an independent implementation. */
export async function expectedRequests(): Promise<readonly ExpectedRequest[]> {
  const name = 'swagger-client';
  const { default: client } = (await import(
    join(import.meta.dirname, 'node_modules', name, 'lib/index.js')
  )) as {
    readonly default: Client | { readonly default: Client };
  };
  const { buildRequest } = 'buildRequest' in client ? client : client.default;
  const spec = read('styles.json');
  return (read('cases.json') as readonly RequestCase[]).map((one) => {
    const { operationId, parameters = {}, requestBody } = one;
    const { method, url, headers, body } = buildRequest({ spec, operationId, parameters, requestBody });
    const { pathname, search } = new URL(url);
    return {
      ...one,
      request: {
        method,
        url: `${pathname}${search}`,
        headers: Object.fromEntries(
          Object.entries(headers)
            .filter(([name]) => name.toLowerCase() !== 'accept')
            .map(([name, value]) => [name.toLowerCase(), String(value)]),
        ),
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      },
    };
  });
}
