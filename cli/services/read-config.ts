import { readFile } from 'node:fs/promises';
import { configError, messageOf } from '../../runtime/contract/errors.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { parseConfig } from '../config/load.ts';
import { errorCode } from '../../runtime/core/values/error-code.ts';

export async function readConfig(file: string): Promise<BuildConfig> {
  return parseConfig(await readText(file), file, process.env);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT')
      throw configError(`No such config file: ${file}. Create one with \`encoderfile init\`.`, error);
    if (code === 'EISDIR') throw configError(`${file} is a folder. Pass the YAML file in it.`, error);
    throw configError(`Cannot read ${file}: ${messageOf(error)}.`, error);
  }
}
