import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { isUrlOf, readUrlHost, type UrlHost } from '#core/net/url-hosts.ts';
import { createFileFetcher, type FileFetcherOptions } from '#platform/fetch-file.ts';
import { localHttp } from '../../helpers/local-http.ts';

const hostsOf = (...hosts: string[]): UrlHost[] => hosts.map((host) => readUrlHost(host) as UrlHost);

function fetcher({ hosts, ...options }: Partial<Omit<FileFetcherOptions, 'hosts'>> & { hosts: string[] }) {
  const files = createFileFetcher({
    maxBytes: 1000,
    timeoutMs: 20_000,
    ...options,
    hosts: hostsOf(...hosts),
  });
  onTestFinished(() => files.close());
  return async (url: string, signal = new AbortController().signal): Promise<string> => {
    try {
      return Buffer.from(await files.fetch(url, signal, () => {})).toString();
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  };
}

/** Names resolve to these addresses, one after the other. */
function resolveTo(addresses: readonly string[][]): void {
  const real = dns.lookup;
  let next = 0;
  const fake = (_name: string, _options: object, callback: (...found: unknown[]) => void): void => {
    const found = addresses[Math.min(next++, addresses.length - 1)] ?? [];
    callback(
      null,
      found.map((address) => ({ address, family: 4 })),
    );
  };
  Object.assign(dns, { lookup: fake });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(dns, { lookup: real });
    syncBuiltinESMExports();
  });
}

const UNREACHABLE = / cannot be reached at a public address, or the connection failed\.$/;

test('names must have public addresses, and the message is that of hosts that do not exist', async () => {
  const { seen, port } = await localHttp((_request, response) => response.end('secret'));
  const refused = async (host: string): Promise<void> => {
    const found = await fetcher({ hosts: [`${host}:${port}`] })(`http://${host}:${port}/secret`);
    expect(found, host).toBe(
      `${host}:${port} cannot be reached at a public address, or the connection failed.`,
    );
  };
  // Addresses of instance metadata are rejected even if they are listed.
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', 'name.invalid']) await refused(host);
  // One private address is sufficient.
  resolveTo([['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['192.0.43.8', '127.0.0.1'], []]);
  for (const host of ['a.example', 'b.example', 'c.example', 'd.example', 'e.example']) await refused(host);
  expect(seen).toEqual([]);
});

test('private addresses and localhost are allowed if they are listed themselves', async () => {
  const { port } = await localHttp((_request, response) => response.end('an image'));
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost'])
    expect(await fetcher({ hosts: [`${host}:${port}`] })(`http://${host}:${port}/`)).toBe('an image');
  expect(await fetcher({ hosts: [`*.example:${port}`] })(`http://127.0.0.1:${port}/`)).toMatch(
    /not one of the allowed hosts\.$/,
  );
});

test('only listed hosts and ports are used, also after a redirect', async () => {
  const other = await localHttp((_request, response) => response.end('other'));
  const { seen, port, url } = await localHttp(({ url: path }, response) => {
    const targets: Record<string, string> = {
      '/other': `http://127.0.0.1:${other.port}/secret`,
      '/metadata': 'http://169.254.169.254/latest/meta-data',
      '/file': 'file:///etc/passwd',
      '/loop': '/loop',
      '/relative': 'image',
    };
    const location = targets[path ?? ''];
    if (location === undefined) response.end('an image');
    else response.writeHead(302, { location }).end();
  });
  const get = fetcher({ hosts: [`127.0.0.1:${port}`, '169.254.169.254'] });
  expect(await get(`${url}/relative`)).toBe('an image');
  expect(await get(`${url}/other`)).toBe(
    `127.0.0.1:${port} redirects to another host, which is not allowed.`,
  );
  expect(await get(`${url}/metadata`)).toMatch(UNREACHABLE);
  expect(await get(`${url}/file`)).toBe(`127.0.0.1:${port} redirects to another host, which is not allowed.`);
  expect(await get(`${url}/loop`)).toBe(`127.0.0.1:${port} redirects more than 3 times.`);
  expect(await get(other.url)).toBe(
    `Files are not fetched from 127.0.0.1:${other.port}, which is not one of the allowed hosts.`,
  );
  expect(await get(`http://user:password@127.0.0.1:${port}/`)).toMatch(/cannot contain credentials\.$/);
  expect(await get('ftp://127.0.0.1/')).toMatch(/^The URL must start with https:/);
  expect(await get('http://[')).toBe('The URL is invalid.');
  expect(other.seen).toEqual([]);
  expect(seen.filter((path) => path === '/loop')).toHaveLength(4);
});

test('responses that are too large, compressed, slow or incomplete are rejected', async () => {
  const { url, port } = await localHttp(({ url: path }, response) => {
    if (path === '/announced') response.writeHead(200, { 'content-length': String(1e12) }).write('x');
    else if (path === '/endless') {
      const write = (): boolean => response.write(Buffer.alloc(600));
      response.on('drain', write);
      while (write());
    } else if (path === '/gzip') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1e6)));
    } else if (path === '/cut') {
      response.writeHead(200, { 'content-length': '500' });
      response.write('x', () => response.destroy());
    } else if (path === '/missing') response.writeHead(404).end('an internal message');
    else if (path === '/slow') response.writeHead(200).write('x');
  });
  const get = fetcher({ hosts: [`127.0.0.1:${port}`] });
  const tooLarge = `The file at 127.0.0.1:${port} has more than 1000 bytes, the maximum. Use a smaller file.`;
  expect(await get(`${url}/announced`)).toBe(tooLarge);
  expect(await get(`${url}/endless`)).toBe(tooLarge);
  expect(await get(`${url}/gzip`)).toBe(
    `127.0.0.1:${port} returned a compressed response, which is not read.`,
  );
  expect(await get(`${url}/cut`)).toMatch(UNREACHABLE);
  expect(await get(`${url}/missing`)).toBe(`127.0.0.1:${port} returned the status 404.`);
  const hasty = fetcher({ hosts: [`127.0.0.1:${port}`], timeoutMs: 100 });
  for (const path of ['/slow', '/silent'])
    expect(await hasty(`${url}${path}`)).toBe(`127.0.0.1:${port} did not send the file within 0.1 s.`);
  const caller = new AbortController();
  const pending = get(`${url}/silent`, caller.signal);
  caller.abort(new Error('the caller has left'));
  await expect(pending).rejects.toThrow('the caller has left');
});

test('hosts are names with or without a port, or all names below one', () => {
  expect(readUrlHost('Bücher.example')).toEqual({
    name: 'xn--bcher-kva.example',
    isWildcard: false,
    port: undefined,
  });
  for (const text of ['', '*', '*.', 'https://a.example', 'a.example/x', 'a b', '*.*.example', 'a@b.example'])
    expect(readUrlHost(text), text).toBeUndefined();
  const allows = (host: string, url: string): boolean => isUrlOf(new URL(url), hostsOf(host));
  expect(allows('a.example', 'https://A.example/x')).toBe(true);
  expect(allows('a.example', 'http://a.example:80/')).toBe(true);
  expect(allows('a.example', 'https://a.example:8443/')).toBe(false);
  expect(allows('a.example', 'https://a.example.evil.example/')).toBe(false);
  expect(allows('a.example', 'https://b.a.example/')).toBe(false);
  expect(allows('a.example:8443', 'https://a.example:8443/')).toBe(true);
  expect(allows('a.example:443', 'https://a.example/')).toBe(true);
  expect(allows('a.example:443', 'http://a.example/')).toBe(false);
  expect(allows('*.example', 'https://b.a.example/')).toBe(true);
  expect(allows('*.a.example', 'https://a.example/')).toBe(false);
  expect(allows('*.a.example', 'https://ba.example/')).toBe(false);
});
