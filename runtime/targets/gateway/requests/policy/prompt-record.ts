import { statusOf } from '../../accounts/ledger/usage-status.ts';
import type { AppError } from '#contract/errors.ts';
import type { Prompt, PromptWriter } from '../../accounts/prompts/prompt-writer.ts';
import type { PromptPolicy } from '../../providers/shapes/prompt-policy.ts';
import type { StreamGuard } from '../../providers/streams/stream.ts';
import type { Placeholders } from '../guardrails/mask/placeholders.ts';
import type { PolicyRequest } from './policy-request.ts';

/** A request that is stored with its answer when it has ended. */
export interface PromptRecord {
  /** Writes the record in the background, once. */
  end(model: string, answer: string | undefined, error: AppError | undefined): void;
  /** Collects the text of a stream, which another guard can check. */
  collect(guard: StreamGuard | undefined): StreamGuard;
  /** The text that was collected. */
  readonly collected: () => string;
}

export interface RecordedContent {
  /** The body as it is sent to a model. */
  readonly body: unknown;
  /** What was masked in it, and what is masked in its answer. */
  readonly masks?: Pick<Placeholders, 'values'> | undefined;
}

/** Whether the requests of a key are stored: by its own setting, or by that of the gateway. */
export const isRecorded = (
  { spender }: Pick<PolicyRequest, 'spender'>,
  { isDefault }: PromptPolicy,
): boolean => spender?.key?.logPrompts ?? isDefault;

/** Returns undefined if the requests of the key are not stored, which is the default. */
export function openPromptRecord(
  writer: PromptWriter,
  policy: PromptPolicy,
  request: PolicyRequest,
  { body, masks }: RecordedContent,
): PromptRecord | undefined {
  const { caller, spender, endpoint, startedAt, size, model: requested } = request;
  if (!isRecorded(request, policy)) return undefined;
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
        userId: spender?.user.userId ?? null,
        keyId: spender?.key?.id ?? null,
        model: model || requested,
        endpoint,
        status: statusOf(error),
        body,
        size,
        answer,
        masked: masks?.values,
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
