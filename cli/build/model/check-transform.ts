import { existsSync } from 'node:fs';
import { configError } from '../../../runtime/contract/errors.ts';
import type { BuildConfig } from '../../config/build-config.ts';

/** Refuses a transform: this version cannot run one, and a model built without its transform would answer wrongly. */
export function checkTransform({ file, transform }: BuildConfig): void {
  if (!transform) return;
  if (transform.kind === 'file' && !existsSync(transform.path)) {
    throw configError(
      `No such file: ${transform.path}. \`transform.path\` of ${file} must name a Lua script.`,
    );
  }
  throw configError(
    `${file} has a \`transform\`, which this version cannot run. Remove it, and apply it to the results instead.`,
  );
}
