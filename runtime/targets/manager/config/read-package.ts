import type { Package } from './package-launch.ts';
import type { TableReader } from './table-reader.ts';

/** Keys of a server that require `package`. */
export const PACKAGE_KEYS = ['package_bin', 'package_with', 'package_hash'] as const;

/** Parses a server's package settings other than its name and version. */
export const readPackage = (
  table: TableReader,
  found: Package,
): { readonly package: Package; readonly hash: string | undefined } => ({
  package: { ...found, ...readProgram(table, found) },
  hash: readPackageHash(table, found),
});

/** Parses which of a package's programs to run, and the package's additional requirements. */
function readProgram(table: TableReader, { runtime }: Package): Pick<Package, 'bin' | 'extra'> {
  const bin = table.text('package_bin');
  const extra = table.texts('package_with');
  if (bin !== undefined && runtime === 'docker') {
    table.report('package_bin requires an npx or uvx package. For an image, use args.', 'package_bin');
  } else if (bin !== undefined && !/^[\w@][\w@./-]*$/.test(bin)) {
    table.report(
      `package_bin must be the name of a program in the package, not ${JSON.stringify(bin)}.`,
      'package_bin',
    );
  }
  if (extra !== undefined && runtime !== 'uvx') {
    table.report('package_with requires a uvx package.', 'package_with');
  }
  for (const one of extra ?? []) {
    if (/^[A-Za-z\d]/.test(one)) continue;
    table.report(
      `package_with must contain requirements such as "mcp<2", not ${JSON.stringify(one)}.`,
      'package_with',
    );
  }
  return { ...(bin !== undefined && { bin }), ...(extra !== undefined && { extra }) };
}

/**
 * Parses a package's hash. For container images, the hash is in the package string. For uvx, a hash
 * is rejected, because uvx cannot verify it.
 */
function readPackageHash(table: TableReader, { runtime }: Package): string | undefined {
  const hash = table.text('package_hash');
  if (hash === undefined) return undefined;
  if (runtime !== 'npx') {
    const wayOut = runtime === 'docker' ? 'For an image, use docker::image@sha256:<digest>.' : 'Remove it.';
    table.report(`package_hash requires an npx package. ${wayOut}`, 'package_hash');
  } else if (!/^sha512-[\w+/]{86}==$/.test(hash)) {
    table.report(
      'package_hash must be an npm integrity hash, which starts with "sha512-". Get it with `npm view <package> dist.integrity`.',
      'package_hash',
    );
  }
  return hash;
}
