import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { releaseSums } from './entries.ts';

export interface ReleaseServer {
  /** URL of the folder with all release files. */
  readonly url: string;
  /** Base URL of the part of GitHub's API that lists releases. */
  readonly api: string;
  /** Replaces the content of a file, for downloads that were changed. */
  readonly replace: (name: string, content: string | undefined) => void;
  readonly close: () => Promise<void>;
}

const FOLDERS = ['bin', '.'];

/** Serves a release as GitHub does after step 5 of docs/releasing.md: all files in one folder, and the list of its assets. */
export async function serveRelease(
  release: string,
  version: string,
  repository: string,
): Promise<ReleaseServer> {
  const replaced = new Map<string, string>();
  const fileOf = (name: string): string | undefined =>
    FOLDERS.map((folder) => join(release, folder, name)).find(
      (path) => existsSync(path) && statSync(path).isFile(),
    );
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const name = path.startsWith(`/v${version}/`) ? path.slice(version.length + 3) : '';
    const content = replaced.get(name);
    const file = /^[\w.-]+$/.test(name) ? fileOf(name) : undefined;
    if (content !== undefined) response.end(content);
    else if (path === `/api/repos/${repository}/releases/tags/v${version}`)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(describe()));
    else if (file === undefined) response.writeHead(404).end();
    else {
      response.setHeader('content-length', statSync(file).size);
      createReadStream(file).pipe(response);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const describe = (): object => ({
    tag_name: `v${version}`,
    draft: false,
    prerelease: false,
    created_at: '2026-01-01T00:00:00Z',
    assets: [...releaseSums(release).keys()]
      .filter((name) => !name.includes('/'))
      .map((name, id) => {
        const url = `${base}/v${version}/${name}`;
        return { id, name, url, browser_download_url: url };
      }),
  });
  return {
    url: `${base}/v${version}`,
    api: `${base}/api`,
    replace: (name, text) => void (text === undefined ? replaced.delete(name) : replaced.set(name, text)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
