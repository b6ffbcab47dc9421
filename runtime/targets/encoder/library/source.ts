import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ASSETS } from '#contract/assets.ts';
import { configError } from '#contract/errors.ts';
import { runBuildTool } from '#platform/build-tool.ts';
import { userCacheFolders } from '#platform/files/home-folder.ts';
import { removeLeftovers, temporaryPath } from '#platform/files/temporary.ts';
import { sha256 } from '#platform/sha256.ts';
import type { OpenOptions } from './types.ts';

/** The version that built a cached model. The bundler defines this variable for a release. */
const BUILDER = process.env['ENCODERFILE_VERSION'] ?? 'source';

/**
 * Returns the path of a built model: the file or folder itself, or the cached build of a model folder or of a
 * model of the Hugging Face Hub, which is built first if it is missing or its files have changed.
 */
export async function findModel(source: string | URL, options: OpenOptions): Promise<string> {
  const name = nameOf(source);
  if (name.startsWith('hf:')) return await fromHub(name, options);
  const path = resolve(name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw configError(`No such file: ${name}`);
  if (!found.isDirectory() || isBuilt(path)) return path;
  return await builtOnce(['folder', realpathSync(path), ...filesIn(path)], path, options);
}

function nameOf(source: unknown): string {
  if (typeof source === 'string' && source !== '') return source;
  if (source instanceof URL && source.protocol === 'file:') return fileURLToPath(source);
  throw configError(
    'open requires the path of a model, a file: URL, or a model of the Hugging Face Hub such as "hf:org/name".',
  );
}

/** Whether a folder contains a built model, as `build --no-build` writes it. */
const isBuilt = (folder: string): boolean =>
  [ASSETS.manifest, ASSETS.weights].every((name) => existsSync(join(folder, name)));

const COMMIT = /@[0-9a-f]{40}$/;

/** A branch or tag can change, so it is looked up each time; a commit is not. */
async function fromHub(reference: string, options: OpenOptions): Promise<string> {
  if (COMMIT.test(reference)) return await builtOnce(['hub', reference], reference, options);
  const { signal, verbose, variant, offline } = options;
  const args = [
    ...(variant === undefined ? [] : [`--variant=${variant}`]),
    ...(offline ? ['--offline'] : []),
  ];
  const pulled = await runBuildTool(['pull', ...args, '--', reference], { signal, verbose });
  const { repository, commit } = pulled as { readonly repository: string; readonly commit: string };
  const pinned = `hf:${repository}@${commit}`;
  return await builtOnce(['hub', pinned], pinned, options);
}

/** The names, sizes and modification times of all files below a folder. Their content could be many gigabytes. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [`${path} ${found.size} ${found.mtimeMs}`] : [];
    });
}

/**
 * Builds a model into the cache if it is not there. The executable around it is left out, because it would
 * only take up space. A build gets a folder of its own, so that concurrent ones never see an incomplete model.
 */
async function builtOnce(
  facts: readonly string[],
  source: string,
  { cacheDir, variant, offline, signal, verbose, type }: OpenOptions,
): Promise<string> {
  const flags = [
    ...(variant === undefined ? [] : [`--variant=${variant}`]),
    ...(type === undefined ? [] : [`--model-type=${type}`]),
  ];
  const key = sha256(JSON.stringify([BUILDER, facts, flags])).slice(0, 32);
  const models = join(cacheDir ?? cacheFolder(), 'models');
  const folder = join(models, key);
  if (isBuilt(folder)) return folder;
  mkdirSync(models, { recursive: true, mode: 0o700 });
  removeLeftovers(folder);
  const scratch = temporaryPath(folder);
  mkdirSync(scratch, { mode: 0o700 });
  try {
    const args = [...flags, ...(offline ? ['--offline'] : []), '--no-build', `--output-dir=${scratch}`];
    const built = (await runBuildTool(['build', ...args, '--', source], { signal, verbose })) as {
      readonly path: string;
    };
    putInPlace(resolve(scratch, built.path), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

/** Another process can have built the same model in the meantime. */
function putInPlace(built: string, folder: string): void {
  try {
    renameSync(built, folder);
  } catch (error) {
    if (!isBuilt(folder)) throw error;
  }
}

function cacheFolder(): string {
  const [folder] = userCacheFolders(process.env);
  if (folder !== undefined) return folder;
  throw configError(
    'There is no cache folder, because neither HOME nor XDG_CACHE_HOME is set. Set cacheDir.',
  );
}
