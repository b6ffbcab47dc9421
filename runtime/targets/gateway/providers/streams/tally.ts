import type { ChatChunk, ChatUsage, Json } from '../shapes/chat.ts';
import type { AnswerSummary, TokenUsage } from './stream.ts';
import type { UnitCounts } from '../../shared/price.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { membersOf } from '#core/json/members-of.ts';
import { isCount } from '#core/numbers/is-count.ts';

/** Counts the output and the usage of a stream. */
export interface Tally {
  add(chunk: ChatChunk): void;
  /** Receives the usage that the provider has reported so far, in the internal format. */
  report(usage: unknown): void;
  /** Whether every started choice has finished. */
  complete(): boolean;
  summary(): AnswerSummary;
}

export function createTally(): Tally {
  let usage: TokenUsage | undefined;
  /** Length of the output when the provider last reported its usage. */
  let countedLength = 0;
  let outputLength = 0;
  let outputText = '';
  let finishReason: string | undefined;
  const open = new Set<number>();
  let finished = 0;
  const take = (reported: TokenUsage | undefined): void => {
    if (!reported) return;
    usage = withKnown(reported, usage);
    if (reported.completionTokens !== undefined) countedLength = outputLength;
  };
  return {
    report(reported) {
      const read = readUsage(reported);
      // A count of 0 is ignored: some providers send zeros until they know the count, and every prompt has
      // tokens.
      take(read && { ...read, promptTokens: read.promptTokens || undefined });
    },
    add(chunk) {
      for (const { index, delta, finish_reason: reason } of chunk.choices ?? []) {
        if (delta) {
          for (const text of partsOf(delta)) {
            outputLength += text.length;
            if (outputText.length < MAX_KEPT_TEXT) outputText += text;
          }
        }
        if (reason) {
          finishReason ??= reason;
          finished += 1;
          open.delete(index);
        } else open.add(index);
      }
      // Called after adding the text of the same chunk, because the count includes this text.
      take(readUsage(chunk.usage));
    },
    complete: () => finished > 0 && open.size === 0,
    summary: () => ({
      usage,
      ...(usage?.completionTokens !== undefined && countedLength < outputLength && { countedLength }),
      outputLength,
      outputText,
      finishReason,
    }),
  };
}

/** A later report replaces an earlier one, except for counts that the later report does not contain. */
function withKnown(later: TokenUsage, earlier: TokenUsage | undefined): TokenUsage {
  if (!earlier) return later;
  const { promptTokens, cachedTokens, cacheWriteTokens, cacheWrite1hTokens } = earlier;
  const ofPrompt = { promptTokens, cachedTokens, cacheWriteTokens, cacheWrite1hTokens };
  const hasCache = later.cachedTokens > 0 || later.cacheWriteTokens > 0;
  // Both reports are for the same prompt, so its cache counts also apply if only one of the reports
  // contains them.
  const isOlder = later.promptTokens === undefined || (later.promptTokens === promptTokens && !hasCache);
  return {
    ...later,
    ...(isOlder && ofPrompt),
    completionTokens: later.completionTokens ?? earlier.completionTokens,
    units: later.units ?? earlier.units,
    audio: later.audio ?? earlier.audio,
  };
}

/** The model's output in a chunk, as text. */
export function talliedText(chunk: ChatChunk): string {
  return (chunk.choices ?? []).map(({ delta }) => (delta ? messageText(delta) : '')).join('');
}

/** The model's output in a message or part of one, from members with any name. */
export const messageText = (message: object): string => partsOf(message).join('');

/** Only this much of the output is kept. The tokens of longer output are estimated from its start. */
export const MAX_KEPT_TEXT = 65_536;

/** The texts of a message. Reasoning that a provider repeats under several names only counts once. */
function partsOf(message: object): string[] {
  const { reasoning_content: thought, reasoning, reasoning_details: details, ...rest } = membersOf(message);
  return [...outputTexts(thought || reasoning || details), ...outputTexts(rest)];
}

/**
 * Parses a provider's usage; undefined if it is missing, invalid or all zeros, which some providers send in
 * every chunk.
 */
export function readUsage(usage: unknown): TokenUsage | undefined {
  const told = membersOf(usage);
  const { prompt_tokens: prompt, completion_tokens: completion } = told;
  const [promptTokens, completionTokens] = [count(prompt), count(completion)];
  // An invalid count must not become 0, because the request would then be free; instead, the usage is
  // estimated.
  if (
    (isPresent(prompt) && promptTokens === undefined) ||
    (isPresent(completion) && completionTokens === undefined)
  )
    return undefined;
  if (!promptTokens && !completionTokens) return undefined;
  const {
    cached_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: hour,
  } = membersOf(told['prompt_tokens_details']);
  const cacheWriteTokens = count(written) ?? 0;
  const heard = count(membersOf(told['prompt_tokens_details'])['audio_tokens']);
  return {
    promptTokens,
    completionTokens,
    cachedTokens: count(cached) ?? 0,
    cacheWriteTokens,
    cacheWrite1hTokens: Math.min(cacheWriteTokens, count(hour) ?? 0),
    reasoningTokens: count(membersOf(told['completion_tokens_details'])['reasoning_tokens']) ?? 0,
    ...unitsIn(told),
    ...(heard && { audio: { audioInput: heard } }),
  };
}

/**
 * What a provider reports in addition to text tokens: searches in Anthropic's or Perplexity's format, and
 * image tokens.
 */
function unitsIn(told: Json): { readonly units?: UnitCounts } {
  const { web_search_requests: requests } = membersOf(told['server_tool_use']);
  const units = omitUndefined({
    webSearches: count(requests) ?? count(told['num_search_queries']),
    imageInput: count(membersOf(told['prompt_tokens_details'])['image_tokens']),
    imageOutput: count(membersOf(told['completion_tokens_details'])['image_tokens']),
  });
  return Object.keys(units).length === 0 ? {} : { units };
}

/** A provider's usage, from which invalid counts have been removed. */
export function checkedUsage(usage: unknown): ChatUsage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const counts = readUsage(usage);
  if (!counts) return NO_USAGE;
  const { promptTokens: prompt, completionTokens: completion, units = {} } = counts;
  const { webSearches, imageInput, imageOutput } = units;
  return {
    ...(prompt !== undefined && { prompt_tokens: prompt }),
    ...(completion !== undefined && { completion_tokens: completion }),
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    prompt_tokens_details: {
      cached_tokens: counts.cachedTokens,
      cache_write_tokens: counts.cacheWriteTokens,
      ...(counts.audio && { audio_tokens: counts.audio.audioInput }),
      ...(counts.cacheWrite1hTokens > 0 && { cache_write_1h_tokens: counts.cacheWrite1hTokens }),
      ...(imageInput && { image_tokens: imageInput }),
    },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoningTokens,
      ...(imageOutput && { image_tokens: imageOutput }),
    },
    ...(webSearches && { server_tool_use: { web_search_requests: webSearches } }),
  };
}

const NO_USAGE: ChatUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Maximum credible token count. Larger counts would not fit into the database. */
const MAX_TOKENS = 1_000_000_000;

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** A provider's count; undefined if it is not a credible integer. */
const count = (value: unknown): number | undefined =>
  isCount(value) && value <= MAX_TOKENS ? value : undefined;

/**
 * Response members that are not model output: IDs, types, encoded data, texts not written by the model, and
 * repetitions of the output. All other texts count as output, so that unknown members do not bypass
 * guardrails and usage tracking.
 */
export const NON_OUTPUT_MEMBERS = new Set(
  [
    ['id', 'call_id', 'tool_call_id', 'item_id', 'response_id', 'file_id', 'container_id', 'server_label'],
    ['type', 'role', 'object', 'model', 'status', 'phase', 'format', 'media_type', 'mime_type', 'created_by'],
    ['data', 'image_url', 'b64_json', 'partial_image_b64', 'signature', 'thought_signature', 'obfuscation'],
    ['encrypted_content', 'encrypted_index', 'encrypted_stdout'],
    ['logprobs', 'annotations', 'annotation', 'citations', 'citation'],
  ].flat(),
);

/** Tool arguments, whose members can have any name. All of their contents count as output. */
const FREE_FORM_MEMBERS = new Set(['input', 'arguments', 'args']);

/** All texts of the model's output in a response or part of one, in order. */
export function outputTexts(value: unknown): string[] {
  const texts: string[] = [];
  const collect = (found: unknown): void => {
    if (typeof found === 'string') {
      if (found !== '') texts.push(found);
    } else if (Array.isArray(found)) {
      for (const item of found) collect(item);
    } else if (typeof found === 'object' && found !== null) collectMembers(found);
  };
  const collectMembers = (members: object): void => {
    const isImage = 'type' in members && members.type === 'image_generation_call';
    const all: readonly (readonly [string, unknown])[] = Object.entries(members);
    for (const [name, member] of all) {
      if (NON_OUTPUT_MEMBERS.has(name) || (isImage && name === 'result')) continue;
      const isArguments = FREE_FORM_MEMBERS.has(name) && typeof member === 'object' && member !== null;
      collect(isArguments ? JSON.stringify(member) : member);
    }
  };
  collect(value);
  return texts;
}
