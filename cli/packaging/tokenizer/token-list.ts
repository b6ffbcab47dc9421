import { configError } from '#contract/errors.ts';
import { type AddedToken, addedToken, ROLES } from './family.ts';
import { contentOf, type TokenSettings } from './settings.ts';

/** An added token in the format of tokenizer.json. */
export interface ListedToken extends AddedToken {
  readonly id: number;
}

/** Collects added tokens. A token in the vocabulary keeps its id, and other tokens get the next free id. */
export class TokenList {
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #tokens = new Map<string, ListedToken>();
  readonly #unknown = new Set<string>();
  #next: number;

  /** `size` is the number of entries in the vocabulary, which can contain a token twice. */
  constructor(vocabulary: ReadonlyMap<string, number>, size = vocabulary.size) {
    this.#vocabulary = vocabulary;
    this.#next = size;
  }

  /** A later token with the same text replaces the flags of an earlier one. */
  add(token: AddedToken): number {
    const id = this.idOf(token.content) ?? this.#next++;
    if (token.content !== '') this.#tokens.set(token.content, { id, ...token });
    return id;
  }

  idOf(content: string): number | undefined {
    return this.#tokens.get(content)?.id ?? this.#vocabulary.get(content);
  }

  /**
   * Adds a token that the files only contain by its text. If it is not in the vocabulary, no file
   * states its id.
   */
  addNamed(token: AddedToken): void {
    if (this.idOf(token.content) === undefined) this.#unknown.add(token.content);
    this.add(token);
  }

  /** Returns the id of a token, if it is in the vocabulary or in a list of added tokens. */
  trainedIdOf(content: string): number | undefined {
    return this.#unknown.has(content) ? undefined : this.idOf(content);
  }

  has(content: string): boolean {
    return this.#tokens.has(content);
  }

  /** Returns all added tokens, sorted by id. */
  list(): ListedToken[] {
    return [...this.#tokens.values()].toSorted((a, b) => a.id - b.id);
  }
}

/**
 * Adds the tokens from the files to a list, and checks that they get the ids with which the model
 * was trained.
 */
export function addModelTokens(list: TokenList, { special, additional, added }: TokenSettings): void {
  const roles = ROLES.flatMap((role) => special.get(role) ?? []);
  const all = [...roles, ...additional];
  const names = new Set(all.map((token) => contentOf(token)));
  for (const { id, token } of added) {
    const given = list.add({ ...token, special: token.special || names.has(token.content) });
    if (given === id) continue;
    throw configError(
      `The added token ${JSON.stringify(token.content)} has the id ${id} in the model's files, but its position in the vocabulary implies ${given}. Save tokenizer.json with the fast tokenizer's \`save_pretrained\`.`,
    );
  }
  for (const token of all) {
    if (typeof token !== 'string') list.addNamed({ ...token, special: true });
    else if (!list.has(token)) list.addNamed(addedToken(token, { special: true }));
  }
}

/** A tokenizer.json with the parts that the supported families use. */
export interface TokenizerFile {
  readonly version: '1.0';
  readonly truncation: null;
  readonly padding: null;
  readonly added_tokens: readonly ListedToken[];
  readonly normalizer: Component | null;
  readonly pre_tokenizer: Component;
  readonly post_processor: Component;
  readonly decoder: Component;
  readonly model: Component;
}

/** A part of a tokenizer.json, with its type and the settings for that type. */
export interface Component {
  readonly type: string;
  readonly [setting: string]: unknown;
}

type Parts = Omit<TokenizerFile, 'version' | 'truncation' | 'padding'>;

export const tokenizerFile = (parts: Parts): TokenizerFile => ({
  version: '1.0',
  truncation: null,
  padding: null,
  ...parts,
});
