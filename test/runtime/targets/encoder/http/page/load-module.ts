import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';

const FOLDERS = [
  'serve/http/pages/browser',
  'serve/http/docs-page/browser',
  'targets/encoder/http/page/browser',
];

let merged: string | undefined;

/** Loads a module that is meant for browsers, and uses nothing only they have. As in a browser, the folders are one. */
export async function loadModule<Module>(file: string): Promise<Module> {
  merged ??= mergeFolders();
  return (await import(pathToFileURL(join(merged, file)).href)) as Module;
}

function mergeFolders(): string {
  const folder = mkdtempSync(join(tmpdir(), 'page-modules-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const one of FOLDERS) {
    cpSync(new URL(`../../../../../../runtime/${one}`, import.meta.url), folder, { recursive: true });
  }
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    // The next file of the same worker needs a folder of its own.
    merged = undefined;
  });
  return folder;
}
