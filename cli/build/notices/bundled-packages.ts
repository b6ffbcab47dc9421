/** The bundled files of each package, by the folder of the package. Files that no package contains are our own. */
export function bundledPackages(files: readonly string[]): Map<string, string[]> {
  const packages = new Map<string, string[]>();
  for (const file of files) {
    // Of nested packages the innermost one.
    const folder = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/.exec(file)?.[0];
    if (folder !== undefined) packages.set(folder, [...(packages.get(folder) ?? []), file]);
  }
  return packages;
}
