import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { textAsset, workerAsset } from '../../../runtime/contract/native.ts';
import { bundle, minify } from '../../adapters/esbuild.ts';
import { repositoryFile } from '../../adapters/package-files.ts';

/** What an executable runs: one file of code, and what it reads. */
export interface Program {
  readonly main: Uint8Array;
  readonly assets: ReadonlyMap<string, Uint8Array>;
}

interface Sources {
  /** Entry files, named by path: the builder ships them and never loads them. */
  readonly main: string;
  readonly workers: Readonly<Record<string, string>>;
  /** Folders of what browsers get. */
  readonly pages: readonly string[];
}

const DOCS_PAGE = 'runtime/serve/http/docs-page/browser';

const SOURCES = {
  encoder: {
    main: 'runtime/targets/encoder/main.ts',
    workers: { encoder: 'runtime/targets/encoder/engine/worker.ts' },
    pages: [DOCS_PAGE, 'runtime/targets/encoder/http/page/browser'],
  },
  manager: { main: 'runtime/targets/manager/main.ts', workers: {}, pages: [DOCS_PAGE] },
  gateway: { main: 'runtime/targets/gateway/main.ts', workers: {}, pages: [DOCS_PAGE] },
} satisfies Record<string, Sources>;

export type ProgramName = keyof typeof SOURCES;

export async function bundleProgram(name: ProgramName, version: string): Promise<Program> {
  const sources: Sources = SOURCES[name];
  const define = { 'process.env.ENCODERFILE_VERSION': JSON.stringify(version) };
  const bundled = (entry: string): Promise<Uint8Array> => bundle(repositoryFile(entry), define);
  const workers = Object.entries(sources.workers).map(
    async ([worker, entry]) => [workerAsset(worker), await bundled(entry)] as const,
  );
  const [main, ...assets] = await Promise.all([
    bundled(sources.main),
    Promise.all(workers),
    ...sources.pages.map(pageAssets),
  ]);
  return { main, assets: new Map(assets.flat()) };
}

/** What browsers get of the files in the pages' folders, and what is done with each kind. Others stay behind. */
const PAGE_FILES: Record<string, (text: string) => string | Promise<string>> = {
  '.html': (text) => text,
  '.svg': (text) => text,
  '.css': (text) => minify(text, 'css'),
  '.js': (text) => minify(text, 'js'),
};

async function pageAssets(pages: string): Promise<(readonly [string, Uint8Array])[]> {
  const folder = repositoryFile(pages);
  // A runtime's name in the cache is a hash over its parts in order.
  const names = (await readdir(folder, { recursive: true })).sort();
  const assets = names.map(async (name): Promise<(readonly [string, Uint8Array])[]> => {
    const prepare = PAGE_FILES[extname(name)];
    if (!prepare) return [];
    const text = await prepare(await readFile(join(folder, name), 'utf8'));
    return [[textAsset(`page/${name.replaceAll('\\', '/')}`), new TextEncoder().encode(text)]];
  });
  return (await Promise.all(assets)).flat();
}
