/** The versions in folders of the site, newest first. Folders with other names are none. */
export function versionsOf(folders: readonly string[]): string[] {
  return folders
    .filter((name) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
}

/** The page at the root of the site: it leads to the newest version and lists all. */
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
