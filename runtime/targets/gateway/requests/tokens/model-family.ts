import type { EncodingName } from './load-encoding.ts';

/** How the tokens of a model are counted. */
export interface ModelFamily {
  readonly encoding: EncodingName;
  /** Tokens of the model per token of the encoding, until its provider has reported some; undefined if the encoding is its own. */
  readonly factors: Readonly<Record<Script, number>> | undefined;
  /** Whose rules for images, documents and audio apply. */
  readonly media: 'openai' | 'anthropic' | 'gemini';
}

/**
 * Measured with the tokenizers that vendors published, on the texts of fixtures/tokens/counts.json. Anthropic has published only one of
 * 2023, and Google none of Gemini, so these are guesses on the safe side; what providers report replaces them.
 */
const FACTORS = {
  claude: { latin: 1.25, cyrillic: 1.7, arabic: 2, cjk: 1.4, other: 2.5 },
  deepseek: { latin: 1.1, cyrillic: 1.2, arabic: 1.2, cjk: 0.8, other: 1.5 },
  mistral: { latin: 1.05, cyrillic: 1.15, arabic: 1, cjk: 1, other: 1.3 },
  qwen: { latin: 1.15, cyrillic: 1.35, arabic: 1, cjk: 0.85, other: 2 },
  llama: { latin: 1.15, cyrillic: 1.2, arabic: 1.4, cjk: 1, other: 1.5 },
  gemini: { latin: 1.1, cyrillic: 1.1, arabic: 1.1, cjk: 1.1, other: 1.2 },
  unknown: { latin: 1.1, cyrillic: 1.25, arabic: 1.2, cjk: 1, other: 1.5 },
} satisfies Record<string, ModelFamily['factors']>;

const exact = (encoding: EncodingName): ModelFamily => ({ encoding, factors: undefined, media: 'openai' });

const like = (name: keyof typeof FACTORS, media: ModelFamily['media'] = 'openai'): ModelFamily => ({
  encoding: 'o200k',
  factors: FACTORS[name],
  media,
});

/** The first pattern that is found in the name of a model, whatever its provider, decides. */
const FAMILIES: readonly (readonly [RegExp, ModelFamily])[] = [
  [/\bgpt-(4o|4\.|[5-9]|oss)|\bchatgpt-4o|\bo[1-9](-|$)|\bcodex|\bcomputer-use/, exact('o200k')],
  [/\bgpt-(4|3\.5|35)|\btext-embedding-/, exact('cl100k')],
  [/claude/, like('claude', 'anthropic')],
  [/gemini|gemma/, like('gemini', 'gemini')],
  [/deepseek/, like('deepseek')],
  [/mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral/, like('mistral')],
  [/qwen|qwq/, like('qwen')],
  [/llama/, like('llama')],
];

const UNKNOWN = like('unknown');

const familyOf = (name: string): ModelFamily =>
  FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN;

/** Clients can ask for any name, so only so many are remembered. */
const MAX_REMEMBERED = 1000;

/** Finds the family of a model by its name. Names are remembered, because each request asks for one several times. */
export function createFamilies(): (model: string) => ModelFamily {
  const known = new Map<string, ModelFamily>();
  return (model) => {
    const found = known.get(model);
    if (found) return found;
    const family = familyOf(model.toLowerCase());
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(model, family);
    return family;
  };
}

/** Groups of scripts whose tokens differ between models in about the same way. */
export type Script = 'latin' | 'cyrillic' | 'arabic' | 'cjk' | 'other';

/** Number of characters that are looked at, spread over the text. */
const LOOKED_AT = 256;

/** A text with at least this share of another script counts as that script, because its tokens outnumber those of Latin words. */
const SHARE = 0.25;

/** The script of a text; mixed texts have the one that most tokens come from. */
export function scriptOf(text: string): Script {
  const counts: Record<Script, number> = { latin: 0, cyrillic: 0, arabic: 0, cjk: 0, other: 0 };
  const step = Math.max(1, Math.floor(text.length / LOOKED_AT));
  let letters = 0;
  for (let at = 0; at < text.length; at += step) {
    const script = scriptAt(text.charCodeAt(at));
    if (script === undefined) continue;
    letters += 1;
    counts[script] += 1;
  }
  // Most texts.
  if (letters === counts.latin) return 'latin';
  const [most] = OTHERS.toSorted((one, other) => counts[other] - counts[one]);
  return most !== undefined && counts[most] >= letters * SHARE && counts[most] > 0 ? most : 'latin';
}

const OTHERS: readonly Script[] = ['cyrillic', 'arabic', 'cjk', 'other'];

/** First code units of the blocks of each script, in order. */
const BLOCKS: readonly (readonly [from: number, script: Script | undefined])[] = [
  [0, undefined],
  [0x41, 'latin'],
  [0x2b0, undefined],
  [0x370, 'cyrillic'],
  [0x530, 'other'],
  [0x590, 'arabic'],
  [0x780, 'other'],
  [0x1100, 'cjk'],
  [0x1200, 'other'],
  [0x1e00, 'latin'],
  [0x2000, undefined],
  [0x2e80, 'cjk'],
  [0xa000, 'other'],
  [0xac00, 'cjk'],
  [0xd800, undefined],
  [0xf900, 'cjk'],
  [0xfb50, 'arabic'],
  [0xff00, undefined],
];

const blockOf = (unit: number): Script | undefined => BLOCKS.findLast(([from]) => unit >= from)?.[1];

/** Looked up, because every request has them. */
const ASCII = Array.from({ length: 128 }, (_, unit) => blockOf(unit));

const scriptAt = (unit: number): Script | undefined => (unit < ASCII.length ? ASCII[unit] : blockOf(unit));
