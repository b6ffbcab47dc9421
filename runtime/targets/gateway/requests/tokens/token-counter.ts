import { writtenTexts, mediaIn } from '../guardrails/input-parts.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { pushAll } from '#core/values/push-all.ts';
import { createPrefixCounts, type PromptTexts } from './counted-prefixes.ts';
import type { Encoding } from './encoding.ts';
import { loadEncoding, type EncodingName } from './load-encoding.ts';
import { mediaTokens, type MediaRules } from './media-tokens.ts';

/** The number of tokens that a model is expected to count. */
export interface CountedPrompt {
  readonly tokens: number;
  /**
   * Tokens according to the encoding, before applying the model's factor; undefined if nothing can be learned
   * from this request.
   */
  readonly learnable:
    | {
        readonly base: number;
        readonly script: Script;
        /** The factor of the family. */ readonly guess: number;
      }
    | undefined;
}

/** Counts tokens before a provider does, using the model's own encoding if it is published. */
export interface TokenCounter {
  /**
   * A promise while the encoding of one of these models is being loaded; undefined if all encodings are
   * ready.
   */
  loading(models: readonly string[]): Promise<void> | undefined;
  /**
   * A request's tokens: its texts, tools, images, documents and audio. With an owner, texts at the beginning
   * that an earlier request of the same owner started with are not counted again.
   */
  prompt(model: string, body: Json, owner?: string): CountedPrompt;
  /**
   * The tokens of a text that the model generated; `length` is set if it is only the start of a longer
   * text.
   */
  output(model: string, text: string, length?: number): number;
  /** Receives what a provider reported for a request, for models whose encoding is not published. */
  learn(model: string, { learnable }: CountedPrompt, reported: number): void;
  /**
   * Receives what a provider reported for the text of a response. Only some responses are counted, because
   * counting takes time.
   */
  learnOutput(model: string, text: string, reported: number): void;
}

/**
 * For each model and script, how many of the model's tokens correspond to one token of the encoding,
 * learned from the counts that providers reported.
 */
export interface LearnedFactors {
  readonly get: (model: string, script: string) => number | undefined;
  readonly set: (model: string, script: string, factor: number) => void;
}

/** OpenAI's format adds these tokens around each message, and before the response. */
const PER_MESSAGE = 4;

const PER_REQUEST = 3;

/** Weight of a new report. */
const LEARNING_RATE = 0.125;

/** For a short text, the surrounding format would distort its factor. */
const MIN_LEARNED = 50;

/**
 * All users of a model share its factors, so that a user's first estimate is already good. A user's unusual
 * texts, e.g. repetitions that the encoding counts differently from the model, must not distort other
 * users' estimates, so a factor stays within this ratio of the guess for its family.
 */
const MAX_SHIFT = 2;

/**
 * A response with more than this many times the tokens expected from its text contains more than the text,
 * e.g. hidden reasoning.
 */
const MAX_SURPRISE = 1.6;

/**
 * Maximum length of texts to learn from. Counting a longer text would take too long: several tenths of a
 * millisecond.
 */
const MAX_LEARNED_LENGTH = 8192;

/**
 * Factors are learned from the first responses of a model and, after that, from one in this many responses.
 */
const [FIRST_LEARNED, LEARNED_SHARE] = [4, 16];

const MAX_COUNTED_MODELS = 2000;

export function createTokenCounter(learned: LearnedFactors = createLearnedFactors()): TokenCounter {
  const ready = new Map<EncodingName, Encoding>();
  const reading = new Map<EncodingName, Promise<void>>();
  const prefixes = createPrefixCounts();
  const familyOf = createFamilies();
  /** Number of responses that had both a text and a count, by model. */
  const answers = new Map<string, number>();

  const read = (name: EncodingName): Promise<void> => {
    const known = reading.get(name);
    if (known) return known;
    const done = loadEncoding(name).then((encoding) => void ready.set(name, encoding));
    reading.set(name, done);
    return done;
  };
  /** The tokens of texts and of the format around the texts. */
  const textTokens = (
    model: string,
    { texts, repeated }: PromptTexts,
    { around = 0, part = '', owner }: { around?: number; part?: string; owner?: string | undefined },
  ): CountedPrompt => {
    const { encoding: name, factors } = familyOf(model);
    const encoding = ready.get(name);
    if (!encoding) throw new Error(`The encoding ${name} is not loaded.`);
    const count = (some: readonly string[]): number => countInTexts(some, encoding.count);
    const counted =
      owner === undefined ? count(texts) : prefixes.count({ texts, repeated }, `${name} ${owner}`, count);
    const base = counted + around;
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
    prompt(model, body, owner) {
      const { tokens, learnable } = textTokens(model, promptTexts(body), {
        around: tokensAround(body),
        owner,
      });
      const media = mediaIn(body);
      if (media.length === 0) return { tokens, learnable };
      const { media: rules } = familyOf(model);
      const others = media.reduce((sum, part) => sum + mediaTokens(model, rules, part), 0);
      return { tokens: tokens + others, learnable: undefined };
    },
    output(model, text, length = text.length) {
      const { tokens } = textTokens(model, { texts: [text], repeated: 0 }, { part: OUTPUT });
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
      const { tokens, learnable } = textTokens(model, { texts: [text], repeated: 0 }, { part: OUTPUT });
      const surprise = reported / tokens;
      if (!learnable || learnable.base < MIN_LEARNED) return;
      if (surprise > MAX_SURPRISE || surprise < 1 / MAX_SURPRISE) return;
      learnFactor(model, OUTPUT + learnable.script, reported / learnable.base, learnable.guess);
    },
  };
}

/** Responses have their own factors, because prompts are surrounded by a format that is not part of their texts. */
const OUTPUT = 'output ';

/** Maximum number of factors. When it is exceeded, all factors are dropped. */
export const MAX_LEARNED = 2000;

/** Factors kept in memory only. */
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

/** Members that contain the messages of a conversation. */
const CONVERSATIONS = ['messages', 'input', 'contents'];

/** A prompt's texts, with the messages at the end, where a conversation's next prompt has more of them. */
function promptTexts({ tools, ...body }: Json): PromptTexts {
  const name = CONVERSATIONS.find((one) => Array.isArray(body[one])) ?? '';
  const { [name]: messages = [], ...others } = body;
  const turns = messages as readonly unknown[];
  const texts = Array.isArray(tools) && tools.length > 0 ? [JSON.stringify(tools)] : [];
  pushAll(texts, writtenTexts(others));
  pushAll(texts, writtenTexts({ [name]: turns.slice(0, -1) }));
  const repeated = texts.length;
  pushAll(texts, writtenTexts({ [name]: turns.slice(-1) }));
  return { texts, repeated };
}

function tokensAround({ messages, input }: Json): number {
  const turns: unknown = messages ?? input;
  if (!Array.isArray(turns) || typeof turns[0] !== 'object') return 0;
  return turns.length * PER_MESSAGE + PER_REQUEST;
}

const longest = (texts: readonly string[]): string =>
  texts.reduce((found, text) => (text.length > found.length ? text : found), '');

/**
 * If the texts are longer in total, only samples are counted, which takes 1 to 2 ms regardless of the
 * length.
 */
const MAX_WHOLE = 16_384;

const SAMPLES = 16;

const SAMPLE_LENGTH = MAX_WHOLE / SAMPLES;

/**
 * Counts the tokens of all texts: exactly if they are short, otherwise estimated from evenly spread
 * samples.
 */
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

/** How to count a model's tokens. */
interface ModelFamily {
  readonly encoding: EncodingName;
  /**
   * Tokens of the model per token of the encoding, used until the provider has reported counts; undefined
   * if the encoding is the model's own.
   */
  readonly factors: Readonly<Record<Script, number>> | undefined;
  readonly media: MediaRules;
}

/**
 * Measured with the tokenizers published by vendors, on the texts in fixtures/tokens/counts.json.
 * Anthropic's only published tokenizer is from 2023, and Google has not published one for Gemini, so the
 * factors for their models are conservative guesses, which counts reported by the providers replace.
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

/** The first pattern found in a model's name determines the family, whatever its provider. */
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

/** Maximum number of cached names, because clients can request any name. */
const MAX_REMEMBERED = 1000;

/** Finds a model's family by its name. Names are cached, because each request looks one up several times. */
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

/**
 * Groups of scripts. Within a group, the ratio between the token counts of two models is about the same.
 */
type Script = 'latin' | 'cyrillic' | 'arabic' | 'cjk' | 'other';

/** Number of characters examined, spread over the text. */
const LOOKED_AT = 256;

/**
 * If at least this share of a text is in a script other than Latin, the text counts as that script, because
 * the script's tokens outnumber those of the Latin words.
 */
const SHARE = 0.25;

/** A text's script; for mixed texts, the one that most tokens come from. */
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
  // Fast path for most texts.
  if (letters === counts.latin) return 'latin';
  const [most] = OTHERS.toSorted((one, other) => counts[other] - counts[one]);
  return most !== undefined && counts[most] >= letters * SHARE && counts[most] > 0 ? most : 'latin';
}

const OTHERS: readonly Script[] = ['cyrillic', 'arabic', 'cjk', 'other'];

/** First code units of each script's blocks, in order. */
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

/** The results are cached, because every request needs them. */
const ASCII = Array.from({ length: 128 }, (_, unit) => blockOf(unit));

const scriptAt = (unit: number): Script | undefined => (unit < ASCII.length ? ASCII[unit] : blockOf(unit));
