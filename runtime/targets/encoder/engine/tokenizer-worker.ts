import { loadAddon } from '../../../platform/native/load-addon.ts';
import { openTokenizer, type TextTokenizer, type TokenizersAddon } from '../../../platform/tokenizer.ts';
import { serveWorker } from '../../../platform/worker-server.ts';
import type { Decode, OpenTokenizer, Tokenize, TokenizerRequest } from './protocol.ts';

// The tokenizer's thread: what it makes of texts are many small arrays, which would hold up the thread that serves.

let tokenizer: TextTokenizer | undefined;

function opened(): TextTokenizer {
  if (!tokenizer) throw new Error('no tokenizer is open');
  return tokenizer;
}

serveWorker({
  open({ addon, json, settings }: OpenTokenizer) {
    tokenizer = openTokenizer(loadAddon(addon) as TokenizersAddon, json, settings);
    return { reply: undefined };
  },
  tokenize: async ({ inputs, options }: Tokenize) => ({ reply: await opened().encode(inputs, options) }),
  decode: async ({ ids, skipSpecialTokens }: Decode) => ({
    reply: await opened().decode(ids, skipSpecialTokens),
  }),
} satisfies Record<TokenizerRequest['kind'], unknown>);
