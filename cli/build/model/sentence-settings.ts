import { configError } from '../../../runtime/contract/errors.ts';
import type { Pooling, Prompt, SentenceSettings } from '../../../runtime/contract/sentence.ts';
import type { SentenceConfig } from '../../config/build-config.ts';
import type { VectorsOf } from '../onnx/wanted-output.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { SentenceDefaults } from './sentence-defaults.ts';

/** What is known of a sentence_embedding model before its graph is looked at. */
export interface SentenceSource {
  /** The config file, for messages. */
  readonly file: string;
  readonly config: SentenceConfig;
  readonly defaults: SentenceDefaults;
  /** Whether a transform makes the vector, instead of pooling. */
  readonly transforms: boolean;
}

/** What the model's vectors may be of. A graph that pools itself knows best, but it cannot leave a prompt's tokens out. */
export function vectorsOf(source: SentenceSource): VectorsOf {
  const { pooling } = source.config;
  if (source.transforms) return ['token', 'text'];
  if (pooling !== undefined) return pooling === 'none' ? ['text'] : ['token'];
  return leavesPromptsOut(source) ? ['token', 'text'] : ['text', 'token'];
}

/** Decides with the config file, then with the model's own files, and refuses what would give other vectors than these say. */
export async function sentenceSettings(
  source: SentenceSource,
  { shape, width }: { readonly shape: readonly string[]; readonly width: number },
  { tokenizer, settings: { maxLength } }: PreparedTokenizer,
): Promise<SentenceSettings> {
  const { config, defaults, file } = source;
  const pooling = choosePooling(source, shape);
  const dimensions = config.dimensions ?? defaults.dimensions;
  if (dimensions !== undefined && dimensions > width) {
    throw configError(
      `${file}: \`dimensions\` is ${dimensions}, but the model's vectors have ${width} numbers.`,
    );
  }
  const prompts: Record<string, Prompt> = {};
  for (const [name, text] of Object.entries(promptsOf(source))) {
    const tokens = text === '' ? 0 : await tokenizer.tokensBefore(text);
    if (tokens >= maxLength) {
      throw configError(
        `The prompt \`${name}\` has ${tokens} tokens, and the model takes ${maxLength}: no text would fit. Shorten it.`,
      );
    }
    prompts[name] = { text, tokens };
  }
  const defaultPrompt = chooseDefaultPrompt(source, prompts);
  return {
    pooling,
    includePrompt: shape.length === 2 || defaults.includePrompt,
    normalize: config.normalize ?? defaults.normalize,
    ...(dimensions === undefined ? {} : { dimensions }),
    prompts,
    ...(defaultPrompt === undefined ? {} : { defaultPrompt }),
  };
}

function choosePooling(source: SentenceSource, shape: readonly string[]): Pooling {
  const { config, defaults, file } = source;
  if (shape.length === 2) {
    if (config.pooling !== undefined && config.pooling !== 'none') {
      throw configError(
        `${file} has \`pooling: ${config.pooling}\`, but its \`output\` is one vector for each text. Choose an output of tokens, or remove \`pooling\`.`,
      );
    }
    if (!leavesPromptsOut(source)) return 'none';
    throw configError(
      'The model pools by itself, so the tokens of prompts would count, but 1_Pooling/config.json says `include_prompt: false`. ' +
        `Export the model with its token vectors, or write \`prompts: {}\` into ${file} to do without prompts.`,
    );
  }
  if (source.transforms) {
    if (config.pooling === undefined || config.pooling === 'none') return 'none';
    throw configError(
      `${file} has \`pooling: ${config.pooling}\` and a \`transform\`, which pools instead. Remove one of them.`,
    );
  }
  if (config.pooling === 'none') {
    throw configError(
      `${file} has \`pooling: none\`, but its \`output\` is a vector for each token. Choose an output of the text, or another \`pooling\`.`,
    );
  }
  if (config.pooling !== undefined) return config.pooling;
  if (defaults.unsupported === undefined) return defaults.pooling ?? 'mean';
  throw configError(
    `${defaults.unsupported}. Set \`pooling\` in ${file} to mean, cls, max or last to pool in that way instead.`,
  );
}

const leavesPromptsOut = (source: SentenceSource): boolean =>
  !source.defaults.includePrompt && Object.values(promptsOf(source)).some((prompt) => prompt !== '');

const promptsOf = ({ config, defaults }: SentenceSource): Readonly<Record<string, string>> =>
  config.prompts ?? defaults.prompts;

function chooseDefaultPrompt(
  { config, defaults, file }: SentenceSource,
  prompts: Readonly<Record<string, Prompt>>,
): string | undefined {
  const name = config.defaultPromptName ?? defaults.defaultPromptName;
  if (name === undefined || Object.hasOwn(prompts, name)) return name;
  // The model's default is one of the model's prompts; other prompts leave it behind.
  if (config.defaultPromptName === undefined && config.prompts) return undefined;
  const known = Object.keys(prompts).join(', ') || 'there are none';
  const origin = config.defaultPromptName === undefined ? 'config_sentence_transformers.json' : file;
  throw configError(
    `${origin}: \`default_prompt_name\` is ${JSON.stringify(name)}; it must be one of the prompts (${known}).`,
  );
}
