import { inputError } from '#contract/errors.ts';

/** The texts of a request for embeddings. Throws an InputError for token ids, which only OpenAI's models take. */
export function embeddedTexts(input: unknown, provider: string): readonly string[] {
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.every((text) => typeof text === 'string')) return input;
  throw inputError(`${provider} embeds text only: \`input\` must be text or a list of texts.`);
}
