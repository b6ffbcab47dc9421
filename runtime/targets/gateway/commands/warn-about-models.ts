import { matchesAny } from '#core/text/name-pattern.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { StoreContext } from './store/store-command.ts';

/** Warns about patterns that match no configured model. They are accepted, because models can be configured later. */
export async function warnAboutModels(
  patterns: readonly string[] | null | undefined,
  { models, state, output }: Pick<StoreContext, 'models' | 'state' | 'output'>,
): Promise<void> {
  if (!models || !patterns) return;
  const stored = await state.modelEntries.read();
  const aliases = [...models.aliases, ...stored.aliases].map(({ name }) => name);
  const entries = stored.providers.map(({ name, settings: { type } }) => ({ name, type }));
  const providers = [...models.providers, ...entries].map(({ type, name }) =>
    type === 'encoder' ? `encoder:${name}` : name,
  );
  const matches = (pattern: string): boolean =>
    aliases.some((alias) => matchesAny([pattern], alias)) ||
    providers.some((name) => canMatch(pattern, name));
  for (const pattern of patterns.filter((candidate) => !matches(candidate))) {
    const hint = didYouMean(pattern.split(':')[0] ?? '', [...providers, ...aliases]);
    output.err(
      `Warning: ${JSON.stringify(pattern)} matches no configured provider or alias${hint || '; the key cannot use it yet'}\n`,
    );
  }
}

/** Only compares the provider part: the gateway does not know all of a provider's models. */
function canMatch(pattern: string, provider: string): boolean {
  if (provider.startsWith('encoder:')) return matchesAny([pattern], provider);
  const [before = '', ...rest] = pattern.split(':');
  return matchesAny([before], provider) && (rest.length > 0 || before.endsWith('*'));
}
