import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { textAsset } from '#contract/native.ts';
import { bundleScript, minifyStyles } from '../../adapters/esbuild.ts';

type Asset = readonly [name: string, bytes: Uint8Array];

/** A folder of browser files. The name of its room becomes part of the asset names. */
export interface PageRoom {
  readonly room: string;
  readonly folder: string;
}

/** The entry module of a document. */
const ENTRY = /<script type="module" src="assets\/([^"]+)">/g;

/**
 * The assets of pages. Each document, and each of `scripts`, gets one bundled script instead of
 * separate modules: loading dozens of modules takes a browser twice as long.
 */
export async function pageAssets(
  rooms: readonly PageRoom[],
  scripts: readonly string[] = [],
): Promise<Asset[]> {
  // The order matters: a runtime's name in the cache is a hash over its parts.
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
