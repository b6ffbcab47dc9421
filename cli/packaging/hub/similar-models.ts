import { readdirSync } from 'node:fs';
import { suggest } from '#core/text/suggest.ts';
import { isRepositoryName } from '../../config/hub-reference.ts';

/** Maximum number of names in a cache to compare. */
const MAX_NAMES = 10_000;

/** The repositories of models in a Hugging Face cache, for example `org/name`. @internal */
export function cachedRepositories(cache: string): string[] {
  return namesIn(cache)
    .slice(0, MAX_NAMES)
    .flatMap((folder) => {
      const [, name] = /^models--(.+)$/.exec(folder) ?? [];
      const repository = name?.replace('--', '/');
      return repository !== undefined && isRepositoryName(repository) ? [repository] : [];
    });
}

/**
 * Returns `; did you mean \`hf:org/name\`?` if the cache has a model with a similar name, or with
 * the same name in another organization; otherwise an empty string.
 */
export function didYouMeanCached(repository: string, cache: string): string {
  const cached = cachedRepositories(cache).filter((name) => name !== repository);
  const meant = cached.find((name) => lastPart(name) === lastPart(repository)) ?? suggest(repository, cached);
  return meant === undefined ? '' : `; did you mean \`hf:${meant}\`?`;
}

const lastPart = (repository: string): string =>
  repository.slice(repository.lastIndexOf('/') + 1).toLowerCase();

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // An unreadable cache is reported when it is used.
    return [];
  }
}
