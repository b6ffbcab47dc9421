import { writtenTexts } from '../guardrails/input-texts.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Encoding } from './encoding.ts';
import { loadEncoding, type EncodingName } from './load-encoding.ts';
import { mediaIn, mediaTokens, type MediaRules } from './media-tokens.ts';

/** What a model is expected to count. */
export interface CountedPrompt {
  readonly tokens: number;
  /** Tokens of the encoding, before the factor of the model; undefined if nothing can be learned from this request. */
  readonly learnable:
    | {
        readonly base: number;
        readonly script: Script;
        /** The factor of the family. */ readonly guess: number;
      }
    | undefined;
}

/** Counts tokens before a provider does, with the model's own encoding where it is published. */
export interface TokenCounter {
  /** A promise while an encoding of one of these models is being read; undefined if all are ready. */
  loading(models: readonly string[]): Promise<void> | undefined;
  /** The tokens of a request: its texts, tools, images, documents and audio. */
  prompt(model: string, body: Json): CountedPrompt;
  /** The tokens of a text of a model; `length` if it is only the start of a longer one. */
  output(model: string, text: string, length?: number): number;
  /** Takes what a provider has reported for a request, for models whose encoding is not published. */
  learn(model: string, { learnable }: CountedPrompt, reported: number): void;
  /** The same for the text of an answer. Only some of them are counted, because that takes time. */
  learnOutput(model: string, text: string, reported: number): void;
}

/** How many tokens of a model one token of the encoding is, by model and script, as providers have reported. */
export interface LearnedFactors {
  readonly get: (model: string, script: string) => number | undefined;
  readonly set: (model: string, script: string, factor: number) => void;
}

/** OpenAI's format has these tokens around each message, and before the answer. */
const PER_MESSAGE = 4;

const PER_REQUEST = 3;

/** Weight of a new report. */
const LEARNING_RATE = 0.125;

/** The format around a short text would distort its factor. */
const MIN_LEARNED = 50;

/**
 * Factors are shared by all users of a model, so that the first estimate of a user is good. Texts that the encoding counts otherwise than the
 * model, e.g. repetitions, must not shift the estimates of others: a factor stays within this ratio to the guess for its family.
 */
const MAX_SHIFT = 2;

/** Answers whose tokens are this many times what their text lets expect contain more than the text, e.g. hidden reasoning. */
const MAX_SURPRISE = 1.6;

/** Counting a longer text would take more than some tenths of a millisecond. */
const MAX_LEARNED_LENGTH = 8192;

/** The first responses from a model are learned from, and later one in so many. */
const [FIRST_LEARNED, LEARNED_SHARE] = [4, 16];

const MAX_COUNTED_MODELS = 2000;

export function createTokenCounter(learned: LearnedFactors = createLearnedFactors()): TokenCounter {
  const ready = new Map<EncodingName, Encoding>();
  const reading = new Map<EncodingName, Promise<void>>();
  const familyOf = createFamilies();
  /** Answers with a text and a count, by model. */
  const answers = new Map<string, number>();

  const read = (name: EncodingName): Promise<void> => {
    const known = reading.get(name);
    if (known) return known;
    const done = loadEncoding(name).then((encoding) => void ready.set(name, encoding));
    reading.set(name, done);
    return done;
  };
  /** Tokens of texts, and of the format around them. */
  const textTokens = (model: string, texts: readonly string[], around: number, part = ''): CountedPrompt => {
    const { encoding: name, factors } = familyOf(model);
    const encoding = ready.get(name);
    if (!encoding) throw new Error(`The encoding ${name} is not loaded.`);
    const base = countInTexts(texts, encoding.count) + around;
    if (!factors) return { tokens: base, learnable: undefined };
    const script = scriptOf(longest(texts));
    const factor = learned.get(model, part + script) ?? learned.get(model, script) ?? factors[script];
    return { tokens: Math.ceil(base * factor), learnable: { base, script, guess: factors[script] } };
  };

  const learnFactor = (model: string, script: string, factor: number, guess: number): void => {
    const seen = Math.min(guess * MAX_SHIFT, Math.max(guess / MAX_SHIFT, factor));
    const before = learned.get(model, script);
    // The first report replaces the guess.
    learned.set(model, script, before === undefined ? seen : before + (seen - before) * LEARNING_RATE);
  };

  return {
    loading(models) {
      const missing = models.map((model) => familyOf(model).encoding).filter((name) => !ready.has(name));
      return missing.length === 0 ? undefined : Promise.all(missing.map(read)).then(() => undefined);
    },
    prompt(model, body) {
      const { tools, ...rest } = body;
      const texts = writtenTexts(rest);
      if (Array.isArray(tools) && tools.length > 0) texts.push(JSON.stringify(tools));
      const { tokens, learnable } = textTokens(model, texts, tokensAround(body));
      const media = mediaIn(body);
      if (media.length === 0) return { tokens, learnable };
      const { media: rules } = familyOf(model);
      const others = media.reduce((sum, part) => sum + mediaTokens(model, rules, part), 0);
      return { tokens: tokens + others, learnable: undefined };
    },
    output(model, text, length = text.length) {
      const { tokens } = textTokens(model, [text], 0, OUTPUT);
      return text.length === 0 ? 0 : Math.ceil((tokens * length) / text.length);
    },
    learn(model, { learnable }, reported) {
      if (!learnable || learnable.base < MIN_LEARNED || reported < MIN_LEARNED) return;
      learnFactor(model, learnable.script, reported / learnable.base, learnable.guess);
    },
    learnOutput(model, text, reported) {
      if (reported < MIN_LEARNED || text.length > MAX_LEARNED_LENGTH || !familyOf(model).factors) return;
      const seen = (answers.get(model) ?? 0) + 1;
      if (seen === 1 && answers.size >= MAX_COUNTED_MODELS) answers.clear();
      answers.set(model, seen);
      if (seen > FIRST_LEARNED && seen % LEARNED_SHARE !== 0) return;
      const { tokens, learnable } = textTokens(model, [text], 0, OUTPUT);
      const surprise = reported / tokens;
      if (!learnable || learnable.base < MIN_LEARNED) return;
      if (surprise > MAX_SURPRISE || surprise < 1 / MAX_SURPRISE) return;
      learnFactor(model, OUTPUT + learnable.script, reported / learnable.base, learnable.guess);
    },
  };
}

/** Answers have factors of their own, because prompts have a format around them that is not in their texts. */
const OUTPUT = 'output ';

/** Maximum number of factors. A full memory is cleared. */
export const MAX_LEARNED = 2000;

/** Factors in memory only. */
export function createLearnedFactors(): LearnedFactors {
  const factors = new Map<string, number>();
  return {
    get: (model, script) => factors.get(factorKey(model, script)),
    set(model, script, factor) {
      const key = factorKey(model, script);
      if (!factors.has(key) && factors.size >= MAX_LEARNED) factors.clear();
      factors.set(key, factor);
    },
  };
}

export const factorKey = (model: string, script: string): string => `${model} ${script}`;

function tokensAround({ messages, input }: Json): number {
  const turns: unknown = messages ?? input;
  if (!Array.isArray(turns) || typeof turns[0] !== 'object') return 0;
  return turns.length * PER_MESSAGE + PER_REQUEST;
}

const longest = (texts: readonly string[]): string =>
  texts.reduce((found, text) => (text.length > found.length ? text : found), '');

/** Texts that together are longer are counted in samples, which takes 1 to 2 ms, however long they are. */
const MAX_WHOLE = 16_384;

const SAMPLES = 16;

const SAMPLE_LENGTH = MAX_WHOLE / SAMPLES;

/** Counts what texts have together: all of short ones, and of long ones an estimate by samples that are spread evenly. */
function countInTexts(texts: readonly string[], count: (text: string) => number): number {
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= MAX_WHOLE) return texts.reduce((sum, text) => sum + count(text), 0);
  let [counted, length, passed, index] = [0, 0, 0, 0];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const from = Math.floor(((total - SAMPLE_LENGTH) * sample) / (SAMPLES - 1));
    while (passed + (texts[index]?.length ?? 0) <= from) {
      passed += texts[index]?.length ?? 0;
      index += 1;
    }
    const piece = texts[index]?.slice(from - passed, from - passed + SAMPLE_LENGTH) ?? '';
    counted += count(piece);
    length += piece.length;
  }
  return Math.ceil((counted / length) * total);
}

/** How the tokens of a model are counted. */
interface ModelFamily {
  readonly encoding: EncodingName;
  /** Tokens of the model per token of the encoding, until its provider has reported some; undefined if the encoding is its own. */
  readonly factors: Readonly<Record<Script, number>> | undefined;
  readonly media: MediaRules;
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

const like = (name: keyof typeof FACTORS, media: MediaRules = 'openai'): ModelFamily => ({
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
function createFamilies(): (model: string) => ModelFamily {
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
type Script = 'latin' | 'cyrillic' | 'arabic' | 'cjk' | 'other';

/** Number of characters that are looked at, spread over the text. */
const LOOKED_AT = 256;

/** A text with at least this share of another script counts as that script, because its tokens outnumber those of Latin words. */
const SHARE = 0.25;

/** The script of a text; mixed texts have the one that most tokens come from. */
function scriptOf(text: string): Script {
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
