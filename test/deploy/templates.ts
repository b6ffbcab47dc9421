import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../helpers/paths.ts';

export const DEPLOY = join(ROOT, 'templates/deploy');

/** A file in `templates/deploy`; `path` is relative to that folder. */
export interface Template {
  readonly path: string;
  readonly text: string;
}

export const readTemplate = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

/** All files in `templates/deploy`. */
export const readTemplates = (): Template[] =>
  globSync('**/*', { cwd: DEPLOY, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))
    .sort()
    .map((path) => ({ path, text: readTemplate(path) }));
