import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIXTURES } from '#test/helpers/paths.ts';
import { openRecorded } from '../open-recorded.ts';
import { apiSpec, startRecording } from './recording-server.ts';

interface GoldenRequest {
  readonly operationId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  /** What differs from swagger-client on purpose. */
  readonly deviation?: {
    readonly url?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

const GOLDEN = JSON.parse(
  readFileSync(join(FIXTURES, 'golden', 'openapi-requests.json'), 'utf8'),
) as readonly GoldenRequest[];

/** Optional encodings, such as that of `|`, are the same to a server. */
const decoded = (url: string): unknown => {
  const { pathname, searchParams } = new URL(url, 'http://server');
  return { pathname: decodeURIComponent(pathname), query: [...searchParams] };
};

test('requests are those of an independent implementation', async () => {
  const server = await startRecording();
  const { call } = await openRecorded(
    apiSpec({ document: join(FIXTURES, 'openapi', 'styles.json'), baseUrl: `${server.origin}/v1` }),
  );
  expect(GOLDEN.length).toBeGreaterThan(40);
  for (const { operationId, arguments: args, request, deviation } of GOLDEN) {
    const before = server.requests.length;
    const result = await call(operationId, args);
    expect(result, operationId).not.toHaveProperty('isError');
    expect(server.requests.length, operationId).toBe(before + 1);
    const received = server.requests[before];
    const expected = { ...request, ...deviation, headers: { ...request.headers, ...deviation?.headers } };
    expect(received?.method, operationId).toBe(expected.method);
    expect(decoded(received?.url ?? ''), operationId).toEqual(decoded(expected.url));
    expect(received?.headers, operationId).toMatchObject(expected.headers);
    const isForm = expected.headers['content-type'] === 'application/x-www-form-urlencoded';
    const body = (text: string): unknown => (isForm ? [...new URLSearchParams(text)] : text);
    expect(body(received?.body.toString() ?? ''), operationId).toEqual(body(expected.body ?? ''));
  }
});
