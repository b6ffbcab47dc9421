/** The folder of the site that is built from the main branch, before its version is released. */
export const NEXT = 'next';

/** The versions in folders of the site: releases, newest first, then the one of the main branch. Other folders are ignored. */
export function versionsOf(folders: readonly string[]): string[] {
  const releases = folders
    .filter((name) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return folders.includes(NEXT) ? [...releases, NEXT] : releases;
}

/** The page at the root of the site: it leads to the newest release, or to the main branch without one, and lists all versions. */
export function rootPage(versions: readonly string[]): string {
  const [newest = ''] = versions;
  const links = versions.map((version) => `<li><a href="./${version}/index.html">${version}</a></li>`);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<link rel="icon" href="data:,">',
    `<meta http-equiv="refresh" content="0; url=./${newest}/index.html">`,
    '<title>encoderfile documentation</title>',
    '<h1>encoderfile documentation</h1>',
    `<ul>${links.join('')}</ul>`,
    '</html>\n',
  ].join('\n');
}
