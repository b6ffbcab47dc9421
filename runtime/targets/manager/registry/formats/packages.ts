import { type PackageRuntime, parsePackage } from '../../config/package-launch.ts';

/** Names that package managers accept. A name with a leading dash would be parsed as an option. */
const NAMES: Readonly<Record<PackageRuntime, RegExp>> = {
  npx: /^(?:@[a-z\d~_-][\w.~-]*\/)?[a-z\d~_][\w.~-]*$/i,
  uvx: /^[a-z\d](?:[\w.-]*[a-z\d])?$/i,
  docker: /^[a-z\d][\w.-]*(?::\d+)?(?:\/[a-z\d][\w.-]*)*$/i,
};
const VERSION = /^(?:sha256:[\da-f]{64}|[\da-z_][\w.+-]*)$/i;

/** Explains why a registry package cannot be used; undefined if it can. */
export function packageProblem(runtime: PackageRuntime, name: string, version: string): string | undefined {
  if (!NAMES[runtime].test(name))
    return `${JSON.stringify(name.slice(0, 100))} is not a package name for ${runtime}.`;
  if (version === '') return 'its package has no version.';
  if (!VERSION.test(version)) return `${JSON.stringify(version.slice(0, 100))} is not a version.`;
  const parsed = parsePackage(`${runtime}::${name}@${version}`);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** Splits `image@sha256:…` or `image:tag`. */
export function splitImage(text: string): { readonly name: string; readonly version: string | undefined } {
  const [, name = text, digest, tag] = /^(.*?)(?:@(sha256:[\da-f]+)|:([\w.-]+))?$/i.exec(text) ?? [];
  // A tag can precede a digest, which takes precedence.
  if (digest !== undefined) return { name: name.replace(/:[\w.-]+$/, ''), version: digest };
  return { name, version: tag };
}

/** Splits `name@version`; the name can have a scope that starts with @. */
export function splitVersion(text: string): { readonly name: string; readonly version: string | undefined } {
  const at = text.lastIndexOf('@');
  return at <= 0
    ? { name: text, version: undefined }
    : { name: text.slice(0, at), version: text.slice(at + 1) };
}
