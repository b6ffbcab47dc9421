import { writtenTexts } from '../guardrails/input-texts.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Encoding } from './encoding.ts';
import { createLearnedFactors, type LearnedFactors } from './learned-factors.ts';
import { loadEncoding, type EncodingName } from './load-encoding.ts';
import { mediaIn, mediaTokens } from './media-tokens.ts';
import { createFamilies, scriptOf, type Script } from './model-family.ts';

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

/** The first answers of a model are learned from, and later one in so many. */
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
