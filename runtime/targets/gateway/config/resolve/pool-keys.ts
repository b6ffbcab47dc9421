import type { ProviderKey } from '../../providers/adapters/provider.ts';
import type { ProviderEntry } from '../schemas/providers.ts';
import type { Path, ResolveContext } from './context.ts';
import { sendableKey } from './sendable.ts';

const NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/i;

/** Each key is a label value in metrics. */
const MAX_KEYS = 100;

/** Resolves a provider's `keys`; undefined without them. */
export function resolvePoolKeys(
  context: ResolveContext,
  path: Path,
  { api_key: single, keys }: Pick<ProviderEntry, 'api_key' | 'keys'>,
): readonly ProviderKey[] | undefined {
  if (keys === undefined) return undefined;
  const { report } = context;
  const own = [...path, 'keys'];
  if (single !== undefined) report(own, 'conflicts with `api_key`; keep one of them', 'key');
  const names = Object.keys(keys);
  if (names.length === 0 || names.length > MAX_KEYS)
    report(own, `must have 1 to ${MAX_KEYS} keys, found ${names.length}`, 'key');
  const resolved = Object.entries(keys).map(([name, { api_key: written, weight = 1 }]): ProviderKey => {
    if (!NAME.test(name)) {
      const rule = 'letters, digits, `-`, `_` and `.`, and begins with a letter or digit';
      report([...own, name], `a key's name has up to 64 ${rule}`, 'key');
    }
    if (written === undefined) report([...own, name], 'requires `api_key`', 'key');
    return { name, apiKey: sendableKey(context, [...own, name, 'api_key'], written) ?? '', weight };
  });
  const byValue = Map.groupBy(resolved, ({ apiKey }) => apiKey);
  for (const [apiKey, [first, second]] of byValue)
    if (first && second && apiKey !== '')
      report(
        [...own, second.name],
        `has the same \`api_key\` as \`${first.name}\`; remove one of them`,
        'key',
      );
  return resolved;
}
