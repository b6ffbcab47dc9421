import type { Logger } from '#serve/log.ts';
import type { UsageStatus } from '../../shared/record-words.ts';
import { truncateWellFormed } from '../../shared/truncate-text.ts';
import { createEventIds } from '../../store/audit/event-ids.ts';
import type { PromptRow } from '../../store/record-schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { PromptLog } from './prompt-log.ts';
import { redactMasked, unmasking } from './redact-masked.ts';
import { type PromptRedaction, redactRequest, redactText } from './redact-prompt.ts';

/** A request and its response, as received and sent. */
export interface Prompt {
  readonly at: number;
  readonly requestId: string;
  /** Null for a request with the master key that specifies no user. */
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly model: string;
  readonly endpoint: string;
  readonly status: UsageStatus;
  /** HTTP status of the response. */
  readonly statusCode: number;
  readonly tags: readonly string[];
  /** The parsed body. */
  readonly body: unknown;
  /** Body length in bytes. */
  readonly size: number;
  /** The model's output; undefined if there is none. */
  readonly answer: string | undefined;
  /** The values behind the placeholders in both, with their placeholders. */
  readonly masked?: ReadonlyMap<string, string> | undefined;
  /** Maximum length of the stored request, and of the stored response. */
  readonly maxCharacters: number;
  readonly patterns: PromptRedaction['patterns'];
}

/** Writes prompts in the background. Failures here do not affect the request. */
export interface PromptWriter {
  write(prompt: Prompt): void;
  /** Removes secrets and pattern matches from a text. Rejects if this takes too long. */
  redact(text: string, patterns: PromptRedaction['patterns']): Promise<string>;
  /** Resolves when everything that is pending is written. */
  written(): Promise<void>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/**
 * Maximum number of prompts waiting, e.g. for a slow database. Additional ones are not stored, so that memory
 * stays limited.
 */
const MAX_WAITING = 500;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MAX_BATCH = 50;
const MAX_REDACTION_MS = 5000;

export interface PromptWriterOptions {
  readonly promptLog: Pick<PromptLog, 'add'>;
  readonly redactor: PromptRedaction['redactor'];
  readonly log: Logger;
}

export function createPromptWriter({ promptLog, redactor, log }: PromptWriterOptions): PromptWriter {
  const nextId = createEventIds();
  const waiting: Prompt[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let running: Promise<void> | undefined;

  const rowOf = async (prompt: Prompt): Promise<PromptRow> => {
    const { maxCharacters, patterns } = prompt;
    const redaction = { redactor, patterns, deadline: performance.now() + MAX_REDACTION_MS };
    // Secrets are removed from the whole text, because half of one would not be recognized.
    const masks = unmasking(prompt.masked);
    const redact = async (text: string): Promise<string> => await redactMasked(text, masks, redaction);
    const request = JSON.stringify(await redactRequest(prompt.body, redact));
    const answer = prompt.answer === undefined ? null : await redact(prompt.answer);
    const isLong = request.length > maxCharacters || (answer?.length ?? 0) > maxCharacters;
    return {
      id: nextId(prompt.at),
      at: Math.floor(prompt.at),
      request_id: storableText(prompt.requestId),
      user_id: prompt.userId,
      api_key_id: prompt.keyId,
      model: storableText(prompt.model),
      endpoint: prompt.endpoint,
      status: prompt.status,
      status_code: prompt.statusCode,
      tags: prompt.tags.length === 0 ? null : storableText(JSON.stringify(prompt.tags)),
      request: storableText(truncateWellFormed(request, maxCharacters)),
      answer: answer === null ? null : storableText(truncateWellFormed(answer, maxCharacters)),
      truncated: isLong ? 1 : 0,
    };
  };
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      for (const { size } of batch) waitingBytes -= size;
      try {
        const rows: PromptRow[] = [];
        for (const prompt of batch) rows.push(await rowOf(prompt));
        await promptLog.add(rows);
      } catch (error) {
        log.error({ err: error, prompts: batch.length }, 'prompts not stored');
      }
    }
    running = undefined;
    if (lost > 0) log.warn({ prompts: lost }, 'prompts not stored because too many were queued');
    lost = 0;
  };
  return {
    write(prompt) {
      if (waiting.length >= MAX_WAITING || waitingBytes + prompt.size > MAX_WAITING_BYTES) {
        lost += 1;
        return;
      }
      waiting.push(prompt);
      waitingBytes += prompt.size;
      // Starts after the request has its response.
      running ??= new Promise<void>((resolve) => void setImmediate(resolve)).then(run);
    },
    redact: (text, patterns) =>
      redactText(text, { redactor, patterns, deadline: performance.now() + MAX_REDACTION_MS }),
    async written() {
      await running;
    },
    async close() {
      await running;
    },
  };
}
