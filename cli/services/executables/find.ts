import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { EXECUTABLE_NAME } from '#contract/executable-name.ts';
import { configError } from '#contract/errors.ts';
import { findSection, readContainer } from '#contract/container/read.ts';
import { parseRuntimeInfo } from '#core/model/manifest-json.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { withFileSource } from '#platform/file-source.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { isHubReference } from '../../config/hub-reference.ts';
import { isUsable, listExecutables, markUsed } from '../../packaging/executables/executable-cache.ts';
import { hostPlatform } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { readBuilt } from '../../packaging/steps/build-inputs.ts';
import { HUB_NAME, isModelFile } from '../read-config.ts';
import { orSimilar } from '../similar-path.ts';
import { argumentWord } from '../text.ts';
import { type ExecutableRequest, provideExecutable } from './provide.ts';

/**
 * Returns the path of the executable that `run` starts: an existing one, one that an earlier `try`
 * or `run` built into the cache and that is named by its model, or a new one.
 */
export async function findExecutable(request: ExecutableRequest, report: Reporter): Promise<string> {
  const { model } = request;
  if (isHubReference(model)) return await provideExecutable(request, report);
  const found = await stat(model).catch(() => undefined);
  if (found?.isDirectory()) return await provideExecutable(request, report);
  // Without a slash or an ending, a word is a name: a file in a foreign folder must not be run in its place.
  if (found && (/[/\\]/.test(model) || EXECUTABLE_NAME.test(model) || isModelFile(model)))
    return isModelFile(model) ? await provideExecutable(request, report) : await checkedFile(model);
  if ((/[/\\]/.test(model) || EXECUTABLE_NAME.test(model)) && !HUB_NAME.test(model)) {
    throw configError(
      `No such file: ${model}${orSimilar(model)} Pass an executable, a model folder, or a model such as hf:org/name.`,
    );
  }
  return await findByName(request, found !== undefined);
}

/** Finds the executable in the cache that was used last among those of models with this name. */
async function findByName({ model, cacheDir }: ExecutableRequest, isFile: boolean): Promise<string> {
  const folder = resolve(cacheDir ?? defaultCacheDir());
  const cached = await listExecutables(folder);
  const named = cached.filter(({ name, repository, path }) =>
    [name, repository, fileStem(path)].includes(model),
  );
  for (const { path } of named) {
    if (!(await isUsable(path))) continue;
    markUsed(path);
    return path;
  }
  const [refused] = named;
  if (refused !== undefined) {
    throw configError(
      `${refused.path} is not run: it is damaged, or other users can change it. Build it again with \`encoderfile run\` and the model's folder or Hub name.`,
    );
  }
  if (isFile)
    throw configError(`${model} is a file. Run it as \`encoderfile run ${argumentWord(`./${model}`)}\`.`);
  const names = cached.flatMap(({ name, repository }) => [
    name,
    ...(repository === undefined ? [] : [repository]),
  ]);
  const meant = didYouMean(model, [...new Set(names)]);
  const reference = HUB_NAME.test(model)
    ? `hf:${model} for a Hugging Face Hub model`
    : 'a model such as hf:org/name';
  throw configError(
    `No executable of a model ${JSON.stringify(model)} in the cache ${folder}${meant}${meant === '' ? '.' : ''} Pass a file, a folder or ${reference}; \`encoderfile cache list\` lists the names.`,
  );
}

/** The name in the file name, which has no characters that are invalid on some file system; shells complete it. */
const fileStem = (path: string): string => basename(path).replace(EXECUTABLE_NAME, '');

/** Rejects files that cannot be run, because replacing this process with them would crash. */
async function checkedFile(path: string): Promise<string> {
  const built = await readBuilt(path);
  if (built?.manifest === undefined) {
    throw configError(
      `${path} is not a model executable. Pass an executable that \`encoderfile build\` wrote, or a model folder.`,
    );
  }
  const host = hostPlatform({ os: process.platform, cpu: process.arch });
  const platform = await platformOf(path);
  if (platform !== host.triple)
    throw configError(
      `${path} is an executable for ${platform}, but this machine is ${host.triple}. Build it again without --platform.`,
    );
  return resolve(path);
}

const platformOf = async (path: string): Promise<string> =>
  await withFileSource(path, (source) => {
    const section = findSection(readContainer(source), 'runtime');
    return section
      ? parseRuntimeInfo(source.readAt(section.offset, section.length)).platform
      : 'another platform';
  });

/** Rejects an executable that the system does not allow to run. */
export function requireExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch (error) {
    const isMarked = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111;
    const wayOut = isMarked
      ? 'Its file system may forbid programs (noexec): copy the file elsewhere, or pass another --cache-dir'
      : `Run \`chmod +x ${argumentWord(path)}\``;
    throw configError(`Cannot run ${path}: permission denied. ${wayOut}.`, error);
  }
}
