import { isObject } from '#core/json/is-object.ts';

import { type Family, type Role, ROLES, type AddedToken, addedToken } from './family.ts';

/** The parsed JSON files next to a vocabulary. A missing file is an empty object. */
export interface SettingsFiles {
  readonly tokenizerConfig: Readonly<Record<string, unknown>>;
  readonly specialTokensMap: Readonly<Record<string, unknown>>;
  readonly addedTokens: Readonly<Record<string, unknown>>;
}

/** Special tokens with roles, and tokens that are added to the vocabulary with the ids from the files. */
export interface TokenSettings {
  readonly special: ReadonlyMap<Role, string | AddedToken>;
  readonly additional: readonly (string | AddedToken)[];
  readonly added: readonly { readonly id: number; readonly token: AddedToken }[];
}

/**
 * Combines the files. A list of all added tokens in tokenizer_config.json is complete; without it,
 * the two older files are used, and special_tokens_map.json takes precedence over
 * tokenizer_config.json.
 */
export function tokenSettings(family: Family, files: SettingsFiles): TokenSettings {
  const decoder = files.tokenizerConfig['added_tokens_decoder'];
  const isComplete = isObject(decoder);
  const stated = isComplete ? files.tokenizerConfig : { ...files.tokenizerConfig, ...files.specialTokensMap };
  const decoded = isComplete ? decodedTokens(decoder) : [];
  const flags = new Map(decoded.map(({ token }) => [token.content, token]));
  const special = new Map<Role, string | AddedToken>();
  for (const role of ROLES) {
    const token = statedToken(stated[`${role}_token`]);
    const usual = family.special[role];
    if (token === null) continue;
    if (token === undefined) {
      if (usual !== undefined) special.set(role, usual);
      continue;
    }
    special.set(role, typeof token === 'string' ? (flags.get(token) ?? withFlagsOf(token, usual)) : token);
  }
  const additional = additionalTokens(stated['additional_special_tokens']) ?? family.additional ?? [];
  const names = new Set([...special.values(), ...additional].map((token) => contentOf(token)));
  return { special, additional, added: isComplete ? decoded : olderTokens(files.addedTokens, names) };
}

export const contentOf = (token: string | AddedToken): string =>
  typeof token === 'string' ? token : token.content;

/** If a file only contains a token's text, the flags from the token's family apply. */
const withFlagsOf = (token: string, usual: string | AddedToken | undefined): string | AddedToken =>
  usual === undefined || typeof usual === 'string' ? token : { ...usual, content: token };

/** `null` in a file means that the token does not exist. */
function statedToken(value: unknown): string | AddedToken | null | undefined {
  if (typeof value === 'string' || value === null) return value;
  return isObject(value) ? tokenOf(value) : undefined;
}

function tokenOf(value: Readonly<Record<string, unknown>>): AddedToken | undefined {
  const { content } = value;
  if (typeof content !== 'string') return undefined;
  const flag = (name: string): boolean | undefined => {
    const state = value[name];
    return typeof state === 'boolean' ? state : undefined;
  };
  const [single_word, lstrip, rstrip, normalized, special] = [
    'single_word',
    'lstrip',
    'rstrip',
    'normalized',
    'special',
  ].map(flag);
  return addedToken(content, {
    ...(single_word === undefined ? {} : { single_word }),
    ...(lstrip === undefined ? {} : { lstrip }),
    ...(rstrip === undefined ? {} : { rstrip }),
    ...(normalized === undefined ? {} : { normalized }),
    ...(special === undefined ? {} : { special }),
  });
}

function additionalTokens(value: unknown): (string | AddedToken)[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: unknown[] = value;
  return list.flatMap((item) => {
    const token = typeof item === 'string' ? item : isObject(item) ? tokenOf(item) : undefined;
    return token === undefined ? [] : [token];
  });
}

function decodedTokens(decoder: Readonly<Record<string, unknown>>): TokenSettings['added'][number][] {
  return Object.entries(decoder)
    .flatMap(([id, value]) => {
      const token = isObject(value) ? tokenOf(value) : undefined;
      return token === undefined ? [] : [{ id: Number(id), token }];
    })
    .toSorted((a, b) => a.id - b.id);
}

/** Reads added_tokens.json, which contains ids by text, without flags. */
function olderTokens(
  content: Readonly<Record<string, unknown>>,
  special: ReadonlySet<string>,
): TokenSettings['added'] {
  return Object.entries(content)
    .flatMap(([text, id]) =>
      typeof id === 'number' ? [{ id, token: addedToken(text, { special: special.has(text) }) }] : [],
    )
    .toSorted((a, b) => a.id - b.id);
}
