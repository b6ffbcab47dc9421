import { chmod, link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { create } from 'tar';

export interface Tarball {
  /** Path of the archive; the name of the folder for its files is derived from it. */
  readonly file: string;
  /** Folder in the archive that contains all files. */
  readonly prefix: string;
  /** Content by path. Files in `bin/` are executable. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly executable?: { readonly path: string; readonly source: string };
}

/**
 * Writes a compressed tar archive. All files have no owner and the same modification time, so that the same content produces the same
 * archive.
 */
export async function writeTarball({ file, prefix, files, executable }: Tarball): Promise<void> {
  const staging = `${file}.staging`;
  try {
    for (const [path, content] of files) {
      const staged = join(staging, path);
      await mkdir(dirname(staged), { recursive: true });
      await writeFile(staged, content);
      await chmod(staged, path.startsWith('bin/') ? 0o755 : 0o644);
    }
    if (executable) {
      const staged = join(staging, executable.path);
      await mkdir(dirname(staged), { recursive: true });
      await link(executable.source, staged);
    }
    const paths = [...files.keys(), ...(executable ? [executable.path] : [])];
    await create({ file, cwd: staging, gzip: true, portable: true, prefix, mtime: PACKED }, paths);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The modification time that npm gives to all files in a package. */
const PACKED = new Date('1985-10-26T08:15:00Z');
