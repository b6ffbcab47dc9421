import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ASSET_NOTICES, dataAsset, LUA_WASM, workerAsset } from '#contract/native.ts';
import { type Bundle, bundle } from '../../adapters/esbuild.ts';
import { sha256 } from '#platform/sha256.ts';
import { repositoryFile } from '../../adapters/own-files.ts';
import { zstd } from '../../adapters/zstd.ts';
import { collectNotices, LUA_PACKAGE, NATIVE_PACKAGES } from '../notices/collect-notices.ts';
import { formatNotices } from '../notices/format-notices.ts';
import { decoderFiles, luaWasmFile } from './native-libraries.ts';
import { pageAssets } from './page-assets.ts';

/** The program of an executable: one code file and its assets. */
export interface ProgramFiles {
  readonly main: Uint8Array;
  readonly assets: ReadonlyMap<string, Uint8Array>;
  /** Paths of the source files, for the license notices. */
  readonly files: readonly string[];
}

interface Sources {
  /** Path of the program's entry file. The builder only bundles it, and never loads it. */
  readonly main: string;
  readonly workers: Readonly<Record<string, string>>;
  /** Paths below `runtime` of the parts that have a folder with browser files. */
  readonly pages: readonly string[];
  /**
   * Browser modules that the program itself reads. Other browser modules are part of the bundles of
   * HTML documents.
   */
  readonly scripts?: readonly string[];
  /** Data files that the program reads when it needs them. */
  readonly data?: readonly string[];
  /** Whether the program runs Lua, so that Lua is included as an asset. */
  readonly hasLua?: boolean;
  /** Whether the program decodes images, so that the decoders are included as assets. */
  readonly readsImages?: boolean;
}

/** Pages of all programs. */
const SHARED_PAGES = ['serve/http/pages', 'serve/http/docs-page'];

/** Worker threads of all programs. */
const SHARED_WORKERS = { watchdog: 'runtime/serve/program/watchdog/thread.ts' };

/** Worker threads of programs that validate values against JSON Schemas from users. */
const SCHEMA_WORKER = { schema: 'runtime/platform/json-schema/schema-worker.ts' };

const SOURCES = {
  encoder: {
    main: 'runtime/targets/encoder/main.ts',
    workers: { ...SHARED_WORKERS, encoder: 'runtime/targets/encoder/engine/worker.ts' },
    pages: [...SHARED_PAGES, 'targets/encoder/http/page'],
    readsImages: true,
  },
  manager: {
    main: 'runtime/targets/manager/main.ts',
    workers: {
      ...SHARED_WORKERS,
      ...SCHEMA_WORKER,
      script: 'runtime/targets/manager/scripts/script-worker.ts',
      openapi: 'runtime/targets/manager/openapi/document-worker.ts',
    },
    pages: [...SHARED_PAGES, 'targets/manager/http/pages', 'targets/manager/http/sign-in-page'],
    hasLua: true,
  },
  gateway: {
    main: 'runtime/targets/gateway/main.ts',
    workers: {
      ...SHARED_WORKERS,
      ...SCHEMA_WORKER,
      serving: 'runtime/targets/gateway/servers/threads/serving-thread.ts',
      parquet: 'runtime/targets/gateway/evaluation/datasets/read/parquet-worker.ts',
    },
    pages: [...SHARED_PAGES, 'targets/gateway/api/pages'],
    scripts: ['experiments/report.js'],
    data: [
      'runtime/targets/gateway/accounts/price-map/model-prices.json.txt',
      'runtime/targets/gateway/requests/tokens/o200k.tokens.zst',
      'runtime/targets/gateway/requests/tokens/cl100k.tokens.zst',
      'runtime/targets/gateway/evaluation/jobs/compute/start-worker.py',
    ],
    hasLua: true,
  },
} satisfies Record<string, Sources>;

export type ProgramName = keyof typeof SOURCES;

/**
 * Bundles a program and keeps the result, because builds for several platforms and lists of base
 * runtimes request it repeatedly.
 */
export function bundleProgram(name: ProgramName, version: string): Promise<ProgramFiles> {
  const id = `${name} ${version}`;
  const program = bundled.get(id) ?? bundleAll(name, version);
  bundled.set(id, program);
  program.catch(() => bundled.delete(id));
  return program;
}

const bundled = new Map<string, Promise<ProgramFiles>>();

async function bundleAll(name: ProgramName, version: string): Promise<ProgramFiles> {
  const sources: Sources = SOURCES[name];
  const define = { 'process.env.ENCODERFILE_VERSION': JSON.stringify(version) };
  const bundleEntry = (entry: string): Promise<Bundle> => bundle(repositoryFile(entry), define);
  const [main, workers, data, pages] = await Promise.all([
    bundleEntry(sources.main),
    Promise.all(
      Object.entries(sources.workers).map(async ([worker, entry]) => ({
        worker,
        ...(await bundleEntry(entry)),
      })),
    ),
    Promise.all([
      ...(sources.data ?? []).map((path) => packedData(repositoryFile(path))),
      ...(sources.hasLua ? [packedData(luaWasmFile(), LUA_WASM)] : []),
      ...(sources.readsImages ? decoderFiles().map(([name, path]) => packedData(path, name)) : []),
    ]),
    pageAssets(
      sources.pages.map((room) => ({ room, folder: repositoryFile(`runtime/${room}/browser`) })),
      sources.scripts,
    ),
  ]);
  const files = [main, ...workers].flatMap((part) => part.files);
  const notices = formatNotices(
    await collectNotices(files, name === 'encoder' ? NATIVE_PACKAGES : sources.hasLua ? [LUA_PACKAGE] : []),
  );
  return {
    main: main.code,
    files,
    assets: new Map([
      ...workers.map(({ worker, code }) => [workerAsset(worker), code] as const),
      ...pages,
      ...data,
      [ASSET_NOTICES, await zstd(new TextEncoder().encode(notices))],
    ]),
  };
}

const packedData = async (path: string, name = basename(path)): Promise<readonly [string, Uint8Array]> => [
  dataAsset(name),
  await zstd(await readFile(path)),
];

/** A hash of a whole program: its code, and the name and content of every asset. */
export const programKey = ({ main, assets }: ProgramFiles): string =>
  sha256(JSON.stringify([sha256(main), [...assets].map(([name, bytes]) => [name, sha256(bytes)])]));
