import type { ListedToken } from './token-list.ts';

/** A tokenizer.json. Its parts are those that tokenizers of the supported families have. */
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

/** A part of a tokenizer: its type, and settings that depend on the type. */
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
