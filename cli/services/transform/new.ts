import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { writeText } from '#platform/files/write-text.ts';
import { readOwnText } from '../../adapters/own-files.ts';
import { refuseToReplace } from '../refuse-to-replace.ts';
import { editorStubs, STUBS_MARK } from './editor-stubs.ts';
import type { TransformNewResult } from './new-result.ts';

export interface TransformNewRequest {
  readonly modelType: ModelType;
  readonly outputPath: string;
  readonly overwrite: boolean;
  /** Whether to write a stub file for editors next to the script. */
  readonly stubs: boolean;
}

/**
 * The stub file is written to the script's folder, where lua-language-server finds it without
 * configuration.
 */
const STUBS_NAME = 'encoderfile.lua';

/** `encoderfile transform new`: writes a commented Lua script that works unmodified, as a starting point. */
export async function newTransform(request: TransformNewRequest): Promise<TransformNewResult> {
  const { modelType, outputPath } = request;
  const file = resolve(outputPath);
  const stubs = request.stubs ? join(dirname(file), STUBS_NAME) : undefined;
  await refuseToReplace(file, outputPath, request.overwrite);
  if (stubs !== undefined) await refuseStrangeStubs(stubs, file, outputPath);

  createFolders(dirname(file), 0o777);
  await writeText(file, readOwnText(`templates/transform/${modelType}.lua`));
  if (stubs !== undefined) await writeText(stubs, editorStubs());
  return { file, modelType, stubs };
}

/** Generated stubs can be overwritten, but not a user's own file with the same name. */
async function refuseStrangeStubs(stubs: string, file: string, outputPath: string): Promise<void> {
  if (stubs === file) {
    throw configError(
      `${outputPath} is reserved for the type stubs written next to the script. Choose another name, or pass --no-stubs.`,
    );
  }
  const shown = join(dirname(outputPath), basename(stubs));
  const found = await readFile(stubs, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw configError(`Cannot read ${shown}: ${messageOf(error)}. Pass --no-stubs to skip it.`, error);
  });
  if (found === undefined || found.startsWith(STUBS_MARK)) return;
  throw configError(
    `${shown} already exists and was not created by encoderfile. Rename it, or pass --no-stubs.`,
  );
}
