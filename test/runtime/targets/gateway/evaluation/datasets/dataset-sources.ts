import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { FIXTURES } from '#test/helpers/paths.ts';

const CSV = 'text;label\nGood;POSITIVE\nBad;NEGATIVE\n';
/** The commit of the branch with the converted files. */
export const HUB_COMMIT = 'a'.repeat(40);
const PARQUET = readFileSync(join(FIXTURES, 'datasets', 'labels.parquet'));
const TREE = `/api/datasets/o/d/tree/${HUB_COMMIT}?recursive=true`;

interface SourceRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

interface DatasetSources {
  readonly url: string;
  /** The same server under another name. */
  readonly otherUrl: string;
  readonly requests: SourceRequest[];
}

const fileOf = (path: string, oid = createHash('sha256').update(PARQUET).digest('hex')) => ({
  type: 'file',
  path,
  size: PARQUET.length,
  oid: 'b'.repeat(40),
  lfs: { oid, size: PARQUET.length },
});

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/a.csv': (response) => response.end(CSV),
  '/typed': (response) => response.setHeader('Content-Type', 'text/csv; charset=utf-8').end(CSV),
  '/page': (response) => response.setHeader('Content-Type', 'text/html').end('<p>'),
  '/moved.csv': (response) => response.writeHead(302, { Location: '/a.csv' }).end(),
  '/loop.csv': (response) => response.writeHead(301, { Location: '/loop.csv' }).end(),
  '/metadata.csv': (response) =>
    response.writeHead(307, { Location: 'http://169.254.169.254/latest.csv' }).end(),
  '/cut.csv': (response) => {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write(CSV, () => response.destroy());
  },
  '/large.csv': (response) => response.end(`${CSV}${'x;y\n'.repeat(300_000)}`),
  '/bucket/b%20%C3%A4.csv': (response) => response.end(CSV),
  '/api/datasets/o/d/revision/refs%2Fconvert%2Fparquet': (response) =>
    response.end(`{"sha":"${HUB_COMMIT}"}`),
  [TREE]: (response) =>
    response
      .setHeader('Link', `<${TREE}&cursor=2>; rel="next"`)
      .end(JSON.stringify([fileOf('default/train/0000.parquet'), { type: 'directory', path: 'default' }])),
  [`${TREE}&cursor=2`]: (response) =>
    response.end(
      JSON.stringify([
        fileOf('default/test/0001.parquet'),
        fileOf('default/test/0000.parquet'),
        fileOf('default/broken/0000.parquet', '0'.repeat(64)),
      ]),
    ),
  '/cdn': (response) => response.end(PARQUET),
};

/**
 * Starts a stand-in for a web site, for the documented Hub API and for an S3 store. It is stopped after the tests of
 * the file.
 */
export async function startDatasetSources(): Promise<DatasetSources> {
  const requests: SourceRequest[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const answer = ANSWERS[path];
    if (answer) return answer(response);
    // The Hub redirects downloads to another host.
    if (path.startsWith(`/datasets/o/d/resolve/${HUB_COMMIT}/`))
      return response.writeHead(302, { Location: `${urlOf('localhost')}/cdn` }).end();
    return response
      .writeHead(path.startsWith('/bucket/') ? 403 : 404)
      .end('<Error><Code>AccessDenied</Code><Region>eu-west-1</Region></Error>');
  });
  const urlOf = (host: string): string => `http://${host}:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return { url: urlOf('127.0.0.1'), otherUrl: urlOf('localhost'), requests };
}
