import { lookup } from '#core/values/lookup.ts';
import type { OpenAiDialect, ProviderType } from './provider.ts';

/** Defaults for a well-known provider, so that only its name has to be configured. */
export interface Preset {
  readonly type: ProviderType;
  readonly baseUrl: string;
  /** Whether the provider runs on the same machine as the gateway. */
  readonly local?: boolean;
  readonly dialect?: Partial<OpenAiDialect>;
}

const openai = (baseUrl: string, dialect: Partial<OpenAiDialect> = {}): Preset => ({
  type: 'openai',
  baseUrl,
  dialect,
});
const local = (port: number): Preset => ({
  type: 'openai',
  baseUrl: `http://127.0.0.1:${port}/v1`,
  local: true,
});

/** Presets by name, with base URLs from the providers' documentation. */
export const PRESETS = lookup<Preset>({
  openai: openai('https://api.openai.com/v1', { maxTokens: 'max_completion_tokens', hasResponses: true }),
  anthropic: { type: 'anthropic', baseUrl: 'https://api.anthropic.com' },
  gemini: { type: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com' },
  // Mistral reports usage in every stream and rejects unknown members.
  mistral: openai('https://api.mistral.ai/v1', { streamUsage: false }),
  groq: openai('https://api.groq.com/openai/v1'),
  together: openai('https://api.together.xyz/v1'),
  deepseek: openai('https://api.deepseek.com/v1'),
  openrouter: openai('https://openrouter.ai/api/v1'),
  fireworks: openai('https://api.fireworks.ai/inference/v1'),
  xai: openai('https://api.x.ai/v1'),
  cerebras: openai('https://api.cerebras.ai/v1'),
  perplexity: openai('https://api.perplexity.ai'),
  sambanova: openai('https://api.sambanova.ai/v1'),
  nebius: openai('https://api.studio.nebius.com/v1'),
  moonshot: openai('https://api.moonshot.ai/v1'),
  dashscope: openai('https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
  huggingface: openai('https://router.huggingface.co/v1'),
  nvidia: openai('https://integrate.api.nvidia.com/v1'),
  ollama: local(11_434),
  vllm: local(8000),
  llamacpp: local(8080),
  lmstudio: local(1234),
  llamafile: local(8080),
});

export const OPENAI_DIALECT: OpenAiDialect = {
  maxTokens: 'max_tokens',
  streamUsage: true,
  hasResponses: false,
};
