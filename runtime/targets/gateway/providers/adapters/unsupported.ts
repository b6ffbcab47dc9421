import { AppError } from '#contract/errors.ts';
import type { ChatRequest } from '../shapes/chat.ts';
import type { MemberEdits } from '../../shared/json-members.ts';

/**
 * Members that must not be silently ignored, because they change the response format. Hints such as `seed`
 * can be ignored.
 */
const ESSENTIAL_MEMBERS = [
  'logprobs',
  'audio',
  'functions',
  'function_call',
  'web_search_options',
  'prediction',
] as const;

/** Throws a NotImplementedError for members that the provider does not support and that cannot be ignored. */
export function refuseUnsupported(
  chat: ChatRequest,
  provider: string,
  { manyChoices }: { readonly manyChoices: boolean },
): void {
  const found = ESSENTIAL_MEMBERS.find(
    (name) => chat[name] !== undefined && chat[name] !== null && chat[name] !== false,
  );
  if (found !== undefined) throw unsupported(`\`${found}\``, provider);
  if (!manyChoices && typeof chat.n === 'number' && chat.n > 1)
    throw unsupported('`n` greater than 1', provider);
}

/** The error for a feature that a provider does not support. */
export const unsupported = (feature: string, provider: string): AppError =>
  new AppError(
    'NotImplementedError',
    `${provider} does not support ${feature}. Remove it, or use a model from another provider.`,
  );

/** Removes request members that are meant for the gateway only, before the request is sent to a provider. */
export const REMOVE_GATEWAY_MEMBERS: MemberEdits = { guardrails: undefined };
