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

/** Yields a tar archive. Files are read in chunks; a chunk is only valid until the next one is requested. */
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
 * Names and sizes that do not fit into a 1988 header get a second header (pax), which all image
 * readers understand.
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
