import { AppError } from '../../../../contract/errors.ts';
import type { ChatRequest } from '../shapes/chat.ts';

/** What changes the shape of an answer cannot be left out without a word; hints as `seed` can. */
const SHAPING = [
  'logprobs',
  'audio',
  'functions',
  'function_call',
  'web_search_options',
  'prediction',
] as const;

/** Refuses what the provider has no word for and an answer without would not be what was asked for. */
export function refuseUnsupported(
  chat: ChatRequest,
  provider: string,
  { manyChoices }: { readonly manyChoices: boolean },
): void {
  const found = SHAPING.find(
    (name) => chat[name] !== undefined && chat[name] !== null && chat[name] !== false,
  );
  if (found !== undefined) throw unsupported(`\`${found}\``, provider);
  if (!manyChoices && typeof chat.n === 'number' && chat.n > 1)
    throw unsupported('`n` greater than 1', provider);
}

export const unsupported = (what: string, provider: string): AppError =>
  new AppError(
    'NotImplementedError',
    `${provider} has no ${what}. Leave it out, or use a model of another provider.`,
  );
