import type { TextTokenizer } from '#platform/tokenizer.ts';
import type { TokenBoundary } from './serving.ts';

/** Finds the special token that the tokenizer puts at the start of every text, or otherwise at the end. */
export async function findBoundary(tokenizer: TextTokenizer): Promise<TokenBoundary | undefined> {
  const [text] = await tokenizer.encode([{ text: 'a' }], { details: true });
  if (!text?.details) return undefined;
  const { ids, details } = text;
  const at = (side: TokenBoundary['side'], index: number): TokenBoundary | undefined => {
    const [id, token] = [ids[index], details.tokens[index]];
    if (details.special[index] !== 1 || id === undefined || token === undefined) return undefined;
    return { side, id, token };
  };
  return at('start', 0) ?? at('end', ids.length - 1);
}
