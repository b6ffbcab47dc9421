import { renameSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openRecorded, PATIENCE, type Recorded } from '../open-recorded.ts';
import { apiSpec, startRecording } from './recording-server.ts';
import { documentText, writeDocument } from './write-document.ts';

const paths = (...names: readonly string[]) => ({
  paths: Object.fromEntries(names.map((name) => [`/${name}`, { get: { operationId: name, responses: {} } }])),
});
const CHANGED = 'notifications/tools/list_changed';
const namesOf = async ({ connection }: Recorded): Promise<unknown[]> => {
  const { tools } = await connection.request('tools/list', undefined, PATIENCE);
  return (tools as { name: string }[]).map(({ name }) => name);
};

test('tools follow changes of the document, and stay if it becomes invalid', async () => {
  const document = writeDocument(paths('one'));
  const api = await openRecorded(apiSpec({ document, baseUrl: 'http://127.0.0.1:1' }));
  const replace = (text: string): void => {
    writeFileSync(`${document}.new`, text);
    renameSync(`${document}.new`, document);
  };
  replace(documentText(paths('one', 'two')));
  await api.notified(CHANGED);
  expect(await namesOf(api)).toEqual(['one', 'two']);
  replace('{"openapi": "3.1.0", "paths": ');
  await api.logged(/^The changed OpenAPI document is not used: /);
  expect(await namesOf(api)).toEqual(['one', 'two']);
  expect(api.connection.warnings?.()[0]).toMatch(/not used/);
});

test('a document on the network is requested again, with its validator', async () => {
  let version = 1;
  const server = await startRecording(({ headers }, response) => {
    const etag = `"${version}"`;
    if (headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(documentText(paths(`v${version}`)));
    if (server.requests.length === 3) version = 2;
  });
  const api = await openRecorded(apiSpec({ document: `${server.origin}/openapi.json`, refreshMs: 20 }));
  expect(await namesOf(api)).toEqual(['v1']);
  await api.notified(CHANGED);
  expect(await namesOf(api)).toEqual(['v2']);
  expect(server.requests[1]?.headers['if-none-match']).toBe('"1"');
});

test('more tools than fit on a page are listed on several', async () => {
  const names = Array.from({ length: 600 }, (_, at) => `operation_${at}`);
  const api = await openRecorded(
    apiSpec({ document: writeDocument(paths(...names)), baseUrl: 'http://127.0.0.1:1' }),
  );
  const all: unknown[] = [];
  let cursor: unknown;
  do {
    const params = cursor === undefined ? undefined : { cursor };
    const page = await api.connection.request('tools/list', params, PATIENCE);
    all.push(...(page['tools'] as { name: string }[]).map(({ name }) => name));
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
  expect(all).toEqual(names);
});

test('a page of tools is smaller than the maximum of a result', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `operation_${at}`);
  const api = await openRecorded(
    apiSpec({ document: writeDocument(paths(...names)), baseUrl: 'http://127.0.0.1:1' }),
    { maxResultCharacters: 2000 },
  );
  const page = await api.connection.request('tools/list', undefined, PATIENCE);
  expect(JSON.stringify(page).length).toBeLessThan(2000);
  expect(page['nextCursor']).toEqual(expect.stringMatching(/^\d+$/));
});
