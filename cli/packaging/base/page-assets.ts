import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { textAsset } from '#contract/native.ts';
import { bundleModules, minify } from '../../adapters/esbuild.ts';

type Asset = readonly [name: string, bytes: Uint8Array];

const KINDS = new Set(['.html', '.svg', '.css', '.js']);
/** The module that a document starts with. */
const ENTRY = /<script type="module" src="assets\/([^"]+)">/g;

/**
 * The assets of pages, whose files are in several folders and refer to each other as if they were in one. The module that a document starts
 * with contains all others: a browser needs twice as long for dozens of requests. Modules are also assets of their own, because
 * reports of experiments embed some of them.
 */
export async function pageAssets(folders: readonly string[]): Promise<Asset[]> {
  const sources = new Map((await Promise.all(folders.map(readFolder))).flat());
  const documents = [...sources].filter(([name]) => extname(name) === '.html');
  const entries = new Set(
    documents.flatMap(([, text]) => [...text.matchAll(ENTRY)].map(([, path = '']) => path)),
  );
  const prepare = async (name: string, text: string): Promise<string> => {
    const kind = extname(name);
    if (kind === '.css') return await minify(text, 'css');
    if (kind !== '.js') return text;
    return entries.has(name) ? await bundleModules(name, sources) : await minify(text, 'js');
  };
  return await Promise.all(
    [...sources].map(async ([name, text]): Promise<Asset> => [
      textAsset(`page/${name}`),
      new TextEncoder().encode(await prepare(name, text)),
    ]),
  );
}

/** The files of a folder that browsers use, by path. */
async function readFolder(folder: string): Promise<(readonly [name: string, text: string])[]> {
  // A runtime's name in the cache is a hash over its parts in order.
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => KINDS.has(extname(name)))
    .sort();
  return await Promise.all(
    names.map(
      async (name) => [name.replaceAll('\\', '/'), await readFile(join(folder, name), 'utf8')] as const,
    ),
  );
}
