import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A copy of a fixture model's folder without its config file, for a test to modify. */
export function copyModel(name: string, target: string): string {
  cpSync(join(FIXTURES, 'models', name), target, {
    recursive: true,
    filter: (path) => !path.endsWith('encoderfile.yml'),
  });
  return target;
}
