import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolders } from '#platform/files/create-folders.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import { replaceFile } from '#platform/files/replace-file.ts';
import { type TarEntry, tarStream } from './tar-stream.ts';

/**
 * Writes a layout as one tar archive (`oci-archive`); returns its size. The index precedes the
 * layers, so that it can be found without reading them.
 */
export async function writeArchive(layout: string, output: FileTarget): Promise<number> {
  const digests = (await readdir(join(layout, 'blobs', 'sha256'))).toSorted();
  const entries: TarEntry[] = [
    await fileEntry(layout, 'oci-layout'),
    await fileEntry(layout, 'index.json'),
    { type: 'folder', path: 'blobs', mode: 0o755 },
    { type: 'folder', path: 'blobs/sha256', mode: 0o755 },
  ];
  for (const digest of digests) entries.push(await fileEntry(layout, `blobs/sha256/${digest}`));
  let size = 0;
  createFolders(dirname(output.path), 0o777);
  await replaceFile(output, {}, async (file) => {
    for await (const chunk of tarStream(entries)) {
      await file.writeFile(chunk);
      size += chunk.length;
    }
  });
  return size;
}

async function fileEntry(layout: string, path: string): Promise<TarEntry> {
  const file = join(layout, path);
  const { size: length } = await stat(file);
  return { type: 'file', path, mode: 0o644, content: { path: file, offset: 0, length } };
}
