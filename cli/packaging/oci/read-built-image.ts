import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Header } from 'tar';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';
import { ANNOTATION } from './oci-format.ts';

/** The model in an image from an earlier build. */
export interface BuiltImage {
  readonly name: string;
  readonly origin: string;
}

/**
 * Reads an image from an earlier build, as a folder or an archive; undefined if encoderfile did not
 * write it.
 */
export async function readBuiltImage(path: string): Promise<BuiltImage | undefined> {
  try {
    const index = parseJsonText(await readIndex(path));
    const manifests = memberOf(index, 'manifests');
    const annotations = Array.isArray(manifests) ? memberOf(manifests[0], 'annotations') : undefined;
    if (!isObject(annotations)) return undefined;
    const name = annotations[ANNOTATION.title];
    const origin = annotations[ANNOTATION.origin];
    return typeof name === 'string' && typeof origin === 'string' ? { name, origin } : undefined;
  } catch {
    return undefined;
  }
}

const readIndex = async (path: string): Promise<string> =>
  path.endsWith('.tar') ? await indexInArchive(path) : await readFile(join(path, 'index.json'), 'utf8');

const BLOCK = 512;
/** In the archives that builds write, the second file is the index. The first two files are small. */
const HEAD = 64 * 1024;

async function indexInArchive(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    for (let at = 0; at + BLOCK <= bytesRead;) {
      const { path: name, size = 0 } = new Header(buffer, at);
      const start = at + BLOCK;
      if (name === 'index.json') return buffer.toString('utf8', start, start + size);
      at = start + Math.ceil(size / BLOCK) * BLOCK;
    }
  } finally {
    await file.close();
  }
  throw new Error('the archive has no index');
}
