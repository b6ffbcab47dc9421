import type { ServingEngine } from '../engine/serving.ts';
import { predict } from '../predict/predict.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { benchRequest } from './request.ts';

/** Words that are a single token in most vocabularies. */
const WORDS =
  'the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state those people too mr how little good world make very year still see work life great own';

const WORD_LIST = WORDS.split(' ');
/** Several texts per length, so that requests do not all contain the same text. */
const VARIANTS = 4;

/** Returns texts with about `tokens` tokens, including the tokens that the model type adds. */
export async function makeTexts(engine: ServingEngine, tokens: number): Promise<string[]> {
  const added = await addedTokens(engine);
  return await Promise.all(
    Array.from({ length: VARIANTS }, (_, variant) => makeText(engine, Math.max(3, tokens - added), variant)),
  );
}

/** Number of tokens that the model reads in addition to the text, for example those of a question. */
async function addedTokens(engine: ServingEngine): Promise<number> {
  const text = WORD_LIST.slice(0, 4).join(' ');
  let read = 0;
  await predict(engine, benchRequest(engine.manifest, text), async (form, request) => {
    const answer = await form.run(request);
    read = greatest(answer.tokens);
    return answer;
  });
  return Math.max(0, read - (await countTokens(engine, text)));
}

async function makeText(engine: ServingEngine, tokens: number, variant: number): Promise<string> {
  const words = (count: number): string =>
    Array.from({ length: count }, (_, at) => WORD_LIST[(at + variant * 29) % WORD_LIST.length]).join(' ');
  // The largest number of words that can fit, because each word has at least one token.
  let [fits, tooMany] = [1, tokens];
  while (tooMany - fits > 1) {
    const count = Math.floor((fits + tooMany) / 2);
    if ((await countTokens(engine, words(count))) <= tokens) fits = count;
    else tooMany = count;
  }
  return words(fits);
}

/** Infinity if the text is longer than the model supports. */
async function countTokens(engine: ServingEngine, text: string): Promise<number> {
  const [tokenized] = await engine.tokenize([text], true);
  if (!tokenized || tokenized.truncated || tokenized.windows) return Infinity;
  return tokenized.ids.length;
}

/** Text lengths to measure, in tokens, up to the model's maximum. */
export const lengthsUpTo = (maxLength: number): number[] => [
  ...LENGTHS.filter((length) => length < maxLength),
  maxLength,
];

const LENGTHS = [16, 64, 256, 1024, 4096];
