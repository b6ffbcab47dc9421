/** The site folder for the main branch, that is, the unreleased version. */
export const NEXT = 'next';

/**
 * The versions in the site's folders: releases, newest first, then the main branch. Other folders
 * are ignored.
 */
export function versionsOf(folders: readonly string[]): string[] {
  const releases = folders
    .filter((name) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return folders.includes(NEXT) ? [...releases, NEXT] : releases;
}

/**
 * The page at the root of the site: it redirects to the newest release (or the main branch if there
 * is none) and lists all versions.
 */
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
