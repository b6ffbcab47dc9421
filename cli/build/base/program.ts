import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { textAsset, workerAsset } from '../../../runtime/contract/native.ts';
import { bundle, minify } from '../../adapters/esbuild.ts';
import { repositoryFile } from '../../adapters/package-files.ts';

export interface Program {
  readonly main: Uint8Array;
  readonly assets: ReadonlyMap<string, Uint8Array>;
}

/** The program inside every model executable. Named by path: the builder ships it and never loads it. */
export async function bundleEncoder(version: string): Promise<Program> {
  const define = { 'process.env.ENCODERFILE_VERSION': JSON.stringify(version) };
  const [main, worker, pages] = await Promise.all([
    bundle(repositoryFile('runtime/targets/encoder/main.ts'), define),
    bundle(repositoryFile('runtime/targets/encoder/engine/worker.ts'), define),
    pageAssets(),
  ]);
  return {
    main,
    assets: new Map([[workerAsset('encoder'), worker], ...pages]),
  };
}

/** What browsers get of the files in the pages' folder, and what is done with each kind. Others stay behind. */
const PAGE_FILES: Record<string, (text: string) => string | Promise<string>> = {
  '.html': (text) => text,
  '.svg': (text) => text,
  '.css': (text) => minify(text, 'css'),
  '.js': (text) => minify(text, 'js'),
};

async function pageAssets(): Promise<[string, Uint8Array][]> {
  const folder = repositoryFile('runtime/targets/encoder/http/page/browser');
  // The base runtime's name is a hash over its parts in order.
  const names = (await readdir(folder, { recursive: true })).sort();
  const assets = names.map(async (name): Promise<[string, Uint8Array][]> => {
    const prepare = PAGE_FILES[extname(name)];
    if (!prepare) return [];
    const text = await prepare(await readFile(join(folder, name), 'utf8'));
    return [[textAsset(`page/${name.replaceAll('\\', '/')}`), new TextEncoder().encode(text)]];
  });
  return (await Promise.all(assets)).flat();
}
