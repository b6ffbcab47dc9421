import { Header, Pax } from 'tar';
import { type FileRange, readChunks } from '#platform/read-chunks.ts';

/**
 * An entry of a tar archive. Owner, group and times are always 0, so that the same content produces
 * the same bytes.
 */
export type TarEntry =
  | { readonly type: 'folder'; readonly path: string; readonly mode: number }
  | { readonly type: 'file'; readonly path: string; readonly mode: number; readonly content: TarContent };

type TarContent = { readonly bytes: Uint8Array } | FileRange;

const BLOCK = 512;

/** Yields the chunks of a tar archive. Each chunk is only valid until the next one is requested. */
export async function* tarStream(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    yield tarHeader(entry);
    if (entry.type === 'folder') continue;
    const { content } = entry;
    if ('bytes' in content) yield content.bytes;
    else yield* readChunks(content);
    yield new Uint8Array(-contentLength(content) & (BLOCK - 1));
  }
  yield new Uint8Array(2 * BLOCK);
}

/**
 * For names and sizes that do not fit into a header of the original format (1988), a second header
 * (pax) is added, which all image readers support.
 */
function tarHeader(entry: TarEntry): Uint8Array {
  const data = {
    path: entry.type === 'folder' ? `${entry.path}/` : entry.path,
    mode: entry.mode,
    uid: 0,
    gid: 0,
    size: entry.type === 'folder' ? 0 : contentLength(entry.content),
    mtime: new Date(0),
  };
  const header = new Header({ ...data, type: entry.type === 'folder' ? 'Directory' : 'File' });
  const block = Buffer.alloc(BLOCK);
  const needsPax = header.encode(block, 0);
  if (!needsPax) return block;
  return Buffer.concat([new Pax({ path: data.path, size: data.size, mtime: data.mtime }).encode(), block]);
}

const contentLength = (content: TarContent): number =>
  'bytes' in content ? content.bytes.length : content.length;
