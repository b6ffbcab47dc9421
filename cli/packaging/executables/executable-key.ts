import { readdirSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { readContainer } from '#contract/container/read.ts';
import { FORMAT_VERSION } from '#contract/container/footer.ts';
import { withFileSource } from '#platform/file-source.ts';
import { readChunks } from '#platform/read-chunks.ts';
import { newSha256, sha256 } from '#platform/sha256.ts';
import { isOneFile, ownVersion } from '../../adapters/own-files.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import { LABEL_TOKENIZER_FOLDER } from '../exports/gliner.ts';
import { HASH } from '../hub/repository-files.ts';
import { modelOrigin } from '../model/model-listing.ts';
import type { BuildPlan } from '../plan.ts';
import { buildInputs } from '../steps/build-inputs.ts';

/**
 * A hash of all that decides the content of an executable: the configuration, the files of the
 * model, and the program that builds it. Where the files are does not matter.
 */
export async function executableKey(config: BuildConfig, { base, platform }: BuildPlan): Promise<string> {
  const { model, quantize, transform } = config;
  const folder = model.kind === 'folder' ? model.folder : dirname(model.weights);
  const settings = Object.fromEntries(Object.entries(config).filter(([name]) => !PLACES.has(name)));
  const files: [name: string, content: string][] = [];
  for (const path of await inputPaths(config, base))
    files.push([
      relative(folder, path).startsWith('..') ? basename(path) : relative(folder, path),
      await contentOf(path),
    ]);
  return sha256(
    JSON.stringify([
      await builderOf(),
      platform.triple,
      {
        ...settings,
        quantize: { ...quantize, calibration: quantize.calibration !== undefined },
        transform: transform?.kind === 'file' ? transform.kind : transform,
        model: model.kind === 'folder' ? { variant: model.variant, origin: modelOrigin(folder) } : model,
      },
      files.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]),
  );
}

/** Settings that are paths of inputs, whose content is hashed, or that only decide where the executable is. */
const PLACES: ReadonlySet<string> = new Set(['file', 'outputPath', 'cacheDir', 'target', 'baseBinaryPath']);

/** The files that the build reads. */
async function inputPaths(config: BuildConfig, base: BuildPlan['base']): Promise<string[]> {
  const { model, file } = config;
  const inputs = (await buildInputs(config, base)).flatMap(({ path }) =>
    typeof path === 'string' && path !== file ? [path] : [],
  );
  const folders =
    model.kind === 'folder'
      ? [join(model.folder, LABEL_TOKENIZER_FOLDER), model.tokenizerFolder, model.labelFolder]
      : [];
  const others = folders.filter((folder) => folder !== undefined).flatMap(filesIn);
  return [...new Set([...inputs, ...others])];
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Files above this size are recognized by their size and times, because hashing them takes seconds. */
const MAX_HASHED_BYTES = 16e6;

/**
 * Identifies the content of a file. Files in the Hugging Face cache are named by their hash. The
 * change time of other large files cannot be set by programs, unlike their modification time.
 */
async function contentOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return 'missing';
  if (basename(dirname(real)) === 'blobs' && HASH.test(basename(real))) return basename(real);
  const found = await stat(real, { bigint: true });
  if (!found.isFile()) return 'folder';
  if (found.size > MAX_HASHED_BYTES)
    return [real, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
  const hash = newSha256();
  for await (const chunk of readChunks({ path: real, offset: 0, length: Number(found.size) }))
    hash.update(chunk);
  return hash.hex();
}

/** Identifies the program that builds: the checksums in the one-file program, or the state of the sources. */
async function builderOf(): Promise<string> {
  if (!isOneFile()) {
    const { stateOfSources } = await import('../base/known-keys.ts');
    return `${ownVersion()} ${stateOfSources()}`;
  }
  const { sections } = await withFileSource(process.execPath, readContainer);
  return JSON.stringify([FORMAT_VERSION, ownVersion(), sections]);
}
