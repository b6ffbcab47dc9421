import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

export interface RepositoryFile {
  readonly path: string;
  readonly content: Buffer;
  /** The Git hash of the content, or of the pointer of a large file. */
  readonly oid: string;
  /** Only for large files, which are in Git LFS. */
  readonly sha256: string | undefined;
}

type Contents = Readonly<Record<string, string | Buffer>>;

/** A model repository with commits, branches and tags. */
export class HubRepository {
  readonly #commits = new Map<string, readonly RepositoryFile[]>();
  readonly #refs = new Map<string, string>();
  access: 'public' | 'private' | 'gated' | 'disabled' = 'public';
  /** Entries to add to file lists. */
  extraEntries: readonly unknown[] = [];

  constructor(contents: Contents) {
    this.commit(contents);
  }

  /** Adds a commit with these files to `main` or another branch, and returns its hash. */
  commit(contents: Contents, branch = 'main'): string {
    const files = Object.entries(contents).map(([path, content]) => fileOf(path, Buffer.from(content)));
    const parents = [...this.#commits.keys()].join();
    const commit = sha1(`${parents} ${files.map(({ path, oid }) => `${path} ${oid}`).join()}`);
    this.#commits.set(commit, files);
    this.#refs.set(branch, commit);
    return commit;
  }

  resolve(revision: string): string | undefined {
    const found = this.#refs.get(revision) ?? revision;
    return this.#commits.has(found) ? found : undefined;
  }

  /** The files in a commit, or in all commits. */
  files(commit?: string): readonly RepositoryFile[] {
    return commit === undefined ? [...this.#commits.values()].flat() : (this.#commits.get(commit) ?? []);
  }

  /** Entries as in the API, including folders and both hashes of large files. */
  tree(commit: string): unknown[] {
    const files = this.files(commit);
    const folders = new Set(
      files.flatMap(({ path }) => (path.includes('/') ? [path.replace(/\/[^/]*$/, '')] : [])),
    );
    return [
      ...[...folders].map((path) => ({ type: 'directory', oid: sha1(path), size: 0, path })),
      ...files.map(({ path, content: { length: size }, oid, sha256 }) => ({
        type: 'file',
        oid,
        size,
        ...(sha256 === undefined ? {} : { lfs: { oid: sha256, size, pointerSize: 134 } }),
        path,
      })),
      ...this.extraEntries,
    ];
  }
}

export const contentOf = ({ content }: RepositoryFile): Buffer => content;

/** The files of a fixture model, arranged as in a hub repository: its graph is in `onnx/`. */
export function fixtureContents(model: string, extra: Contents = {}): Record<string, string | Buffer> {
  const files = Object.entries(folderContents(join(FIXTURES, 'models', model)));
  return {
    ...Object.fromEntries(
      files
        .filter(([path]) => !path.endsWith('encoderfile.yml'))
        .map(([path, content]) => [path.startsWith('model.onnx') ? `onnx/${path}` : path, content]),
    ),
    ...extra,
  };
}

/** All files in a folder. */
export function folderContents(folder: string): Record<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name))]),
  );
}

const LARGE = /\.(?:onnx|onnx_data|safetensors|bin|model)$/;

function fileOf(path: string, content: Buffer): RepositoryFile {
  if (!LARGE.test(path)) return { path, content, oid: gitHash(content), sha256: undefined };
  const sha256 = createHash('sha256').update(content).digest('hex');
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${content.length}\n`;
  return { path, content, oid: gitHash(Buffer.from(pointer)), sha256 };
}

const gitHash = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
