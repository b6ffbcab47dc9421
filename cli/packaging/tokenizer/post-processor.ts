import { configError } from '#contract/errors.ts';
import { type Role, ROLES, type Template } from './family.ts';
import { contentOf, type TokenSettings } from './settings.ts';
import type { TokenList } from './token-list.ts';

type Part =
  | { readonly Sequence: { readonly id: 'A' | 'B'; readonly type_id: number } }
  | { readonly SpecialToken: { readonly id: string; readonly type_id: number } };

export interface TemplateProcessing {
  readonly type: 'TemplateProcessing';
  readonly single: readonly Part[];
  readonly pair: readonly Part[];
  readonly special_tokens: Readonly<Record<string, unknown>>;
}

/** Creates the post-processor, which puts special tokens around texts. */
export function templateProcessing(
  template: Template,
  { special }: TokenSettings,
  list: TokenList,
): TemplateProcessing {
  const used = new Map<string, number>();
  const part = (item: string): Part => {
    const at = item.lastIndexOf(':');
    const [name, type_id] = [item.slice(0, at), Number(item.slice(at + 1))];
    if (name === '$A') return { Sequence: { id: 'A', type_id } };
    if (name === '$B') return { Sequence: { id: 'B', type_id } };
    const id = name.startsWith('@') ? roleToken(name.slice(1), special) : name;
    used.set(id, requiredTokenId(id, list));
    return { SpecialToken: { id, type_id } };
  };
  const parts = (text: string): Part[] => text.split(' ').map((item) => part(item));
  return {
    type: 'TemplateProcessing',
    single: parts(template.single),
    pair: parts(template.pair),
    special_tokens: Object.fromEntries([...used].map(([id, at]) => [id, { id, ids: [at], tokens: [id] }])),
  };
}

/** Returns the text of the token with a role. */
export function roleToken(name: string, special: TokenSettings['special']): string {
  const role = ROLES.find((known): known is Role => known === name);
  const token = role && special.get(role);
  if (token !== undefined) return contentOf(token);
  throw configError(
    `The model's files do not set ${name}_token, which its tokenizer requires. Set \`${name}_token\` in tokenizer_config.json.`,
  );
}

export function requiredTokenId(token: string, list: TokenList): number {
  const id = list.trainedIdOf(token);
  if (id !== undefined) return id;
  throw withoutToken(token);
}

/**
 * Rejects tokens without an id in the model, because they would get an id that the model was not
 * trained with.
 */
export function withoutToken(token: string): Error {
  return configError(
    `The vocabulary has no token ${JSON.stringify(token)}, which this type of tokenizer requires. Check \`tokenizer_class\` in tokenizer_config.json, and that the vocabulary belongs to the model.`,
  );
}
