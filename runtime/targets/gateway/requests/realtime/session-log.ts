import type { AppError } from '#contract/errors.ts';
import type { PromptRecord } from '../policy/prompt-record.ts';
import type { Json } from '../../providers/shapes/chat.ts';

/** Stores the texts of a session: a record for each response, with what the client has sent since the one before. */
export interface SessionLog {
  /** Takes an event of the client. */
  readonly sent: (event: Json) => void;
  /** Takes an event of the provider. */
  readonly received: (event: Json) => void;
  /** Stores what has no response. */
  readonly end: (error?: AppError) => void;
}

interface SessionLogParts {
  readonly model: string;
  /** Opens the record of one response; undefined if nothing is stored. */
  readonly open: (body: Json) => PromptRecord | undefined;
}

/** Longer texts are cut when they are stored, so that no more is kept. */
const MAX_CHARACTERS = 262_144;
/** Audio, which is not text. */
const AUDIO = 'input_audio_buffer.append';

export function createSessionLog({ model, open }: SessionLogParts): SessionLog {
  let events: Json[] = [];
  let size = 0;
  let answer = '';
  const end = (error?: AppError): void => {
    if (events.length === 0 && answer === '') return;
    open({ model, events })?.end(model, answer === '' ? undefined : answer, error);
    events = [];
    size = 0;
    answer = '';
  };
  return {
    sent(event) {
      if (event['type'] === AUDIO) return;
      size += JSON.stringify(event).length;
      if (size <= MAX_CHARACTERS) events.push(event);
    },
    received({ type, delta }) {
      const isText = typeof type === 'string' && TEXTS.has(type) && typeof delta === 'string';
      if (isText && answer.length <= MAX_CHARACTERS) answer += delta;
      if (type === 'response.done') end();
    },
    end,
  };
}

/** Events with pieces of a model's text or speech. */
const TEXTS = new Set([
  'response.output_text.delta',
  'response.text.delta',
  'response.output_audio_transcript.delta',
  'response.audio_transcript.delta',
  'response.function_call_arguments.delta',
]);
