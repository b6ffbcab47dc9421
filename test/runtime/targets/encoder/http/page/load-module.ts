import { existsSync } from 'node:fs';

const FOLDERS = [
  'targets/encoder/http/page/browser',
  'serve/http/pages/browser',
  'serve/http/docs-page/browser',
];

/** Loads a module that is meant for browsers, and uses nothing only they have. */
export async function loadModule<Module>(file: string): Promise<Module> {
  const places = FOLDERS.map(
    (folder) => new URL(`../../../../../../runtime/${folder}/${file}`, import.meta.url),
  );
  const found = places.find((place) => existsSync(place));
  if (!found) throw new Error(`no module ${file}`);
  return (await import(found.href)) as Module;
}
