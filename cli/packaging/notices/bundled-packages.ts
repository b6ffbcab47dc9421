/** Groups the bundled files by package folder. Files outside packages belong to this project. */
export function bundledPackages(files: readonly string[]): Map<string, string[]> {
  const packages = new Map<string, string[]>();
  for (const file of files) {
    // The innermost of nested packages.
    const folder = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/.exec(file)?.[0];
    if (folder !== undefined) packages.set(folder, [...(packages.get(folder) ?? []), file]);
  }
  return packages;
}
