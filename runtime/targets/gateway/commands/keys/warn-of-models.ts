import { didYouMean } from '../../../../core/text/suggest.ts';
import { matchesAny } from '../../../../core/text/name-pattern.ts';
import type { StoreContext } from '../store/store-command.ts';

/** Patterns that fit nothing of the configuration are let through, as models can be configured later, but not without a word. */
export function warnOfModels(
  patterns: readonly string[] | null | undefined,
  { models, output }: Pick<StoreContext, 'models' | 'output'>,
): void {
  if (!models || !patterns) return;
  const aliases = models.aliases.map(({ name }) => name);
  const providers = models.providers.map(({ type, name }) => (type === 'encoder' ? `encoder:${name}` : name));
  const fits = (pattern: string): boolean =>
    aliases.some((alias) => matchesAny([pattern], alias)) || providers.some((name) => mayFit(pattern, name));
  for (const pattern of patterns.filter((candidate) => !fits(candidate))) {
    const meant = didYouMean(pattern.split(':')[0] ?? '', [...providers, ...aliases]);
    output.err(
      `Warning: no provider or alias of the configuration fits ${JSON.stringify(pattern)}${meant || '; the key cannot use it yet'}\n`,
    );
  }
}

/** Which models a provider has, only the provider knows. */
function mayFit(pattern: string, provider: string): boolean {
  if (provider.startsWith('encoder:')) return matchesAny([pattern], provider);
  const [before = '', ...rest] = pattern.split(':');
  return matchesAny([before], provider) && (rest.length > 0 || before.endsWith('*'));
}
