import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { textAsset } from '#contract/native.ts';
import { bundleScript, minifyStyles } from '../../adapters/esbuild.ts';

type Asset = readonly [name: string, bytes: Uint8Array];

/** A folder with browser files. `room` becomes part of the asset names. */
export interface PageRoom {
  readonly room: string;
  readonly folder: string;
}

/** The script element in an HTML document that loads its entry module. */
const ENTRY = /<script type="module" src="assets\/([^"]+)">/g;

/**
 * Returns the assets of pages. Each HTML document and each entry in `scripts` is bundled to one
 * script, because a browser needs twice as long to load dozens of separate modules.
 */
export async function pageAssets(
  rooms: readonly PageRoom[],
  scripts: readonly string[] = [],
): Promise<Asset[]> {
  // The order of assets must not vary, because a base runtime's name in the cache depends on it.
  const assets = await Promise.all(rooms.map(async (room) => await assetsOf(room, scripts)));
  const names = new Set(assets.flat().map(([name]) => name));
  const lost = scripts.find((script) => !rooms.some(({ room }) => names.has(assetName(room, script))));
  if (lost !== undefined) throw new Error(`No page module for ${lost}.`);
  return assets.flat();
}

const assetName = (room: string, file: string): string => textAsset(`page/${room}/${file}`);

async function assetsOf({ room, folder }: PageRoom, scripts: readonly string[]): Promise<Asset[]> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/')).sort();
  const texts = await Promise.all(
    names
      .filter((name) => ['.html', '.svg', '.css'].includes(extname(name)))
      .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  const entries = new Set(
    texts
      .filter(([name]) => extname(name) === '.html')
      .flatMap(([, text]) => [...text.matchAll(ENTRY)].map(([, path = '']) => path)),
  );
  for (const script of scripts) if (names.includes(sourceOf(script))) entries.add(script);
  const files = await Promise.all([
    ...texts.map(
      async ([name, text]) => [name, extname(name) === '.css' ? await minifyStyles(text) : text] as const,
    ),
    ...[...entries].map(async (name) => [name, await bundleScript(join(folder, sourceOf(name)))] as const),
  ]);
  return files.map(([name, text]): Asset => [assetName(room, name), new TextEncoder().encode(text)]);
}

const sourceOf = (script: string): string => script.replace(/\.js$/, '.ts');
