import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { installPython } from '../helpers/install-python.ts';
import { TEST_CACHE } from '../helpers/paths.ts';

/** Third-party programs and packages, installed into one folder on first use. */
const FOLDER = join(TEST_CACHE, 'datasets');
const S3_SERVER = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const UPLOADER = 'tus-js-client@4.3.1';

/** Path of a Python with the packages of `requirements.txt`. */
export const python = (): Promise<string> =>
  installPython(join(import.meta.dirname, 'requirements.txt'), join(FOLDER, 'python'));

/** Path of versitygw, an S3-compatible server. */
export const s3Server = (): Promise<string> =>
  installed('bin/versitygw', 'go', ['install', S3_SERVER], { GOBIN: join(FOLDER, 'bin') });

/** Path of the tus-js-client script for browsers. */
export const browserUploader = (): Promise<string> =>
  installed('node_modules/tus-js-client/dist/tus.min.js', 'npm', [
    'install',
    '--prefix',
    FOLDER,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    UPLOADER,
  ]);

async function installed(
  name: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = join(FOLDER, name);
  if (existsSync(path)) return path;
  console.error(`Installing ${args.at(-1)} ...`);
  mkdirSync(FOLDER, { recursive: true });
  await execa(program, args, { env, stdout: 'ignore', stderr: 'inherit' });
  return path;
}
