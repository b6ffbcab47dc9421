import type { AppError } from '../../../../contract/errors.ts';
import type { Prompt, PromptWriter } from '../../accounts/prompts/prompt-writer.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { PromptPolicy } from '../shapes/prompt-policy.ts';
import type { StreamGuard } from '../streams/stream.ts';
import type { CompletionRequest } from './completion.ts';

/** A request that is stored with its answer when it has ended. */
export interface PromptRecord {
  /** Writes the record in the background, once. */
  end(model: string, answer: string | undefined, error: AppError | undefined): void;
  /** Collects the text of a stream, which another guard can check. */
  collect(guard: StreamGuard | undefined): StreamGuard;
  /** The text that was collected. */
  readonly collected: () => string;
}

export interface RecordedRequest {
  readonly request: CompletionRequest;
  readonly spender: Spender;
  /** The body as it is sent to a model. */
  readonly body: unknown;
  /** The model that was requested, for a request that no model answers. */
  readonly model: string;
}

/** Returns undefined if the requests of the key are not stored, which is the default. */
export function openPromptRecord(
  writer: PromptWriter,
  policy: PromptPolicy,
  { request, spender, body, model: requested }: RecordedRequest,
): PromptRecord | undefined {
  if (!(spender.key?.logPrompts ?? policy.isDefault)) return undefined;
  const { caller, endpoint, startedAt } = request;
  const { maxCharacters, patterns } = policy;
  let text = '';
  let isEnded = false;
  return {
    end(model, answer, error) {
      if (isEnded) return;
      isEnded = true;
      const prompt: Prompt = {
        at: startedAt,
        // Usage of a job has the id of the job, too.
        requestId: caller.kind === 'work' ? caller.jobId : request.requestId,
        userId: spender.user.userId,
        keyId: spender.key?.id ?? null,
        model: model || requested,
        endpoint,
        status: error ? 'error' : 'success',
        body,
        size: request.bytes.byteLength,
        answer,
        maxCharacters,
        patterns,
      };
      writer.write(prompt);
    },
    collect: (guard) => ({
      async take(piece) {
        // Secrets are removed before the text is cut, so that more is kept than is stored.
        if (text.length < 2 * maxCharacters) text += piece;
        return (await guard?.take(piece)) ?? { kind: 'pass' };
      },
      end: async () => (await guard?.end()) ?? { kind: 'pass' },
    }),
    collected: () => text,
  };
}
