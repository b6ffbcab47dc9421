import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A copy of a fixture model for tests to modify, with a config next to it. Returns the path of the config. */
export function copyModel(folder: string, model = 'sentiment', config: Record<string, unknown> = {}): string {
  cpSync(join(FIXTURES, 'models', model), join(folder, 'model'), { recursive: true });
  return writeConfig(folder, config);
}

export function writeConfig(folder: string, fields: Record<string, unknown> = {}): string {
  const path = join(folder, 'encoderfile.yml');
  const encoderfile = { name: 'model', path: './model', model_type: 'sequence_classification', ...fields };
  // JSON is also valid YAML.
  writeFileSync(path, JSON.stringify({ encoderfile }, undefined, 2));
  return path;
}
