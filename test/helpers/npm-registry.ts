import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { create } from 'tar';

/** A package in the registry; `hold` delays its tarball until `release`. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** A loopback registry from which real npm installs. */
export async function startNpmRegistry(folder: string, packages: readonly PublishedPackage[]) {
  const tarballs = new Map<string, Buffer>();
  const documents = new Map<string, object>();
  const held = new Set<string>();
  const waiting: { readonly name: string; readonly answer: ServerResponse }[] = [];
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const server = createServer((request, answer) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    asked.push(path);
    for (const listener of listeners) listener();
    const document = documents.get(path);
    const tarball = tarballs.get(path);
    if (document) answer.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    else if (tarball && held.has(path)) waiting.push({ name: path, answer });
    else if (tarball) answer.end(tarball);
    else answer.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const { name, version, files, dependencies = {}, bin } of packages) {
    const root = join(folder, `${name}-${version}`);
    const manifest = { name, version, dependencies, ...(bin && { bin }) };
    mkdirSync(join(root, 'package'), { recursive: true });
    writeFileSync(join(root, 'package', 'package.json'), JSON.stringify(manifest));
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(root, 'package', file), text, { mode: 0o755 });
    }
    const file = join(root, 'package.tgz');
    await create({ file, cwd: root, gzip: true }, ['package']);
    const bytes = readFileSync(file);
    const path = `${name}-${version}.tgz`;
    tarballs.set(path, bytes);
    const dist = {
      tarball: `${url}${path}`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      shasum: createHash('sha1').update(bytes).digest('hex'),
    };
    documents.set(name, {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist } },
    });
  }
  return {
    url,
    /** Delays a tarball. */
    hold: (path: string) => void held.add(path),
    release(path: string) {
      held.delete(path);
      for (const { name, answer } of waiting) if (name === path) answer.end(tarballs.get(path));
    },
    /** Resolves when a path has been requested. */
    async requested(path: string): Promise<void> {
      while (!asked.includes(path)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        listeners.add(resolve);
        await promise;
        listeners.delete(resolve);
      }
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
