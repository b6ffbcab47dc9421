import { membersOf } from '#core/json/members-of.ts';
import { isCount } from '#core/numbers/is-count.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CountedTokens } from '../../providers/streams/stream.ts';

/** OpenAI's models speak 20 tokens in a second, and audio is sent with 24,000 samples of 2 bytes. */
const SPOKEN_TOKENS_PER_BYTE = 20 / 48_000;
const CHARACTERS_PER_TOKEN = 4;

/** Counts what a session uses. */
export interface RealtimeTally {
  /** Takes an event of the provider. Returns the tokens of a response that has ended. */
  take(event: Json): CountedTokens | undefined;
  /** The tokens of a response that has not ended, as far as it was seen; undefined if there is none. */
  unfinished(): CountedTokens | undefined;
}

export function createRealtimeTally(): RealtimeTally {
  let isRunning = false;
  let spoken = 0;
  let written = 0;
  let lastInput = 0;
  return {
    take(event) {
      const { type, delta, response } = event;
      if (type === 'response.created') {
        isRunning = true;
        spoken = 0;
        written = 0;
      } else if (typeof delta === 'string' && isRunning) {
        if (type === 'response.output_audio.delta' || type === 'response.audio.delta')
          spoken += (delta.length * 3) / 4;
        else if (type === 'response.output_text.delta' || type === 'response.text.delta')
          written += delta.length;
      } else if (type === 'response.done') {
        isRunning = false;
        const tokens = tokensOf(membersOf(membersOf(response)['usage']));
        lastInput = tokens?.promptTokens ?? lastInput;
        return tokens;
      }
      return undefined;
    },
    unfinished() {
      if (!isRunning) return undefined;
      const audioOutput = Math.ceil(spoken * SPOKEN_TOKENS_PER_BYTE);
      return {
        promptTokens: lastInput,
        completionTokens: audioOutput + Math.ceil(written / CHARACTERS_PER_TOKEN),
        cachedTokens: 0,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
        audio: { audioInput: 0, audioOutput },
      };
    },
  };
}

function tokensOf(usage: Json): CountedTokens | undefined {
  const { input_tokens: input, output_tokens: output } = usage;
  if (!isCount(input) || !isCount(output)) return undefined;
  const heard = membersOf(usage['input_token_details']);
  const said = membersOf(usage['output_token_details']);
  const cachedAudio = countIn(membersOf(heard['cached_tokens_details']), 'audio_tokens');
  return {
    promptTokens: input,
    completionTokens: output,
    cachedTokens: Math.min(input, countIn(heard, 'cached_tokens')),
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    audio: {
      // Audio from the cache has the price of the cache.
      audioInput: Math.min(input, Math.max(0, countIn(heard, 'audio_tokens') - cachedAudio)),
      audioOutput: Math.min(output, countIn(said, 'audio_tokens')),
    },
  };
}

function countIn(members: Json, name: string): number {
  const value = members[name];
  return isCount(value) ? value : 0;
}
