import { inputError } from '#contract/errors.ts';
import { EXTENSIONS } from '../extensions.ts';
import { hasReader } from '../read/read-rows.ts';
import { type Fetched, type Fetcher, type HeadersOf, shown } from './fetcher.ts';
import type { OpenedSource } from './source.ts';

interface UrlOptions {
  /** File name. Default: the one in the URL. */
  readonly filename: string | undefined;
  readonly headersOf?: HeadersOf;
}

/**
 * Opens a single file at a URL. Its format is derived from the path's extension or, failing that, from its
 * content type.
 */
export async function openUrl(
  fetcher: Fetcher,
  url: URL,
  { filename: name, headersOf }: UrlOptions,
): Promise<OpenedSource> {
  const answer = await fetcher.get(url, headersOf);
  const filename = name ?? filenameOf(url, answer);
  return { filename, origin: shown(url), files: once({ filename, bytes: answer.bytes }) };
}

export async function* once<Value>(value: Value): AsyncGenerator<Value, void> {
  yield value;
}

function filenameOf(first: URL, { url, headers }: Fetched): string {
  for (const { pathname } of [first, url]) {
    const name = nameIn(pathname);
    if (hasReader(name)) return name;
  }
  const type =
    String(headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? '';
  const extension = EXTENSIONS.get(type);
  if (extension !== undefined) return `${nameIn(first.pathname) || 'dataset'}${extension}`;
  throw inputError(
    `The format of ${shown(first)} is unknown: its path has no known extension, and its content type is ${JSON.stringify(type)}. Set \`filename\`, e.g. data.csv.`,
  );
}

function nameIn(path: string): string {
  const encoded = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(encoded).slice(0, 200);
  } catch {
    return encoded.slice(0, 200);
  }
}
