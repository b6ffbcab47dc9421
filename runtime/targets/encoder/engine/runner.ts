import type { Manifest } from '#contract/manifest.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { AppError, inputError } from '#contract/errors.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import { maxTextLength } from '#core/model/mark-text.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import { noMask } from '../tasks/fill-mask.ts';
import { TASKS } from '../tasks/index.ts';
import type { EngineAnswer, EngineInput, EngineRequest, OverflowRule, TruncationSide } from './serving.ts';
import type { Dispatcher } from './dispatcher.ts';
import { encodeMarked } from './encode-marked.ts';
import { Job } from './job.ts';

export interface Runner {
  /** Tokenizes the inputs of a request, runs them, and collects their results. */
  readonly submit: (request: EngineRequest, onOverflow: OverflowRule) => Promise<EngineAnswer>;
  /** Number of inputs that are accepted and not yet answered. */
  readonly waiting: () => number;
  /** Resolves when no input is waiting. */
  readonly settled: () => Promise<void>;
}

/** Returns the tokenizer that truncates on this side, by default to the maximum of the model. */
type TokenizerForSide = (side: TruncationSide, maxLength?: number) => TextTokenizer;

/** Number of inputs to tokenize in one call, so that a large request does not block small ones. */
const TOKENIZE_AT_ONCE = 64;

export function createRunner(
  tokenizerFor: TokenizerForSide,
  dispatcher: Dispatcher,
  manifest: Manifest,
  maxWindows: number,
): Runner {
  const { modelType, tokenizer: settings, windows, multiVector, entities } = manifest;
  const { maxLength, truncationSide } = settings;
  const longestFor = (role: TextRole): string => {
    if (multiVector) return `${multiVector[role].maxLength} tokens, the maximum of this model for a ${role}`;
    return windows
      ? `${maxWindows} ${maxWindows === 1 ? 'window' : 'windows'} of ${entities ? `${entities.maxWords} words` : `${maxLength} tokens`} (--max-windows)`
      : `${maxLength} tokens, the maximum of this model`;
  };
  const jobs = new Set<Job>();
  const { details } = TASKS[modelType];

  const encode = async (
    texts: readonly TextInput[],
    side: TruncationSide,
    { role = 'document', labels }: EngineRequest,
  ): Promise<TokenizedText[]> => {
    if (texts.length === 0) return [];
    const rules = multiVector?.[role];
    return rules
      ? await encodeMarked(tokenizerFor(side, maxTextLength(rules)), texts, rules)
      : await tokenizerFor(side).encode(texts, { details, labels });
  };
  const tokenize = async (
    inputs: readonly EngineInput[],
    side: TruncationSide,
    request: EngineRequest,
  ): Promise<TokenizedText[]> => {
    const encoded = await encode(
      inputs.filter((input) => 'text' in input),
      side,
      request,
    );
    let next = 0;
    return inputs.map((input) => {
      if ('text' in input) return itemAt(encoded, next++);
      return {
        ids: Int32Array.from(side === 'left' ? input.ids.slice(-maxLength) : input.ids.slice(0, maxLength)),
        truncated: input.ids.length > maxLength,
      };
    });
  };
  const feed = async (job: Job, request: EngineRequest, onOverflow: OverflowRule): Promise<void> => {
    const { inputs, overflow, group = 1, role = 'document' } = request;
    const { rule = onOverflow, side = truncationSide } = overflow ?? {};
    for (let start = 0; start < inputs.length && !job.ended; start += TOKENIZE_AT_ONCE) {
      const texts = await tokenize(inputs.slice(start, start + TOKENIZE_AT_ONCE), side, request);
      refuseWithoutMask(texts, start, manifest);
      if (rule === 'error')
        refuseOverflow(
          texts,
          (at) => Math.floor((start + at) / group),
          longestFor(role),
          overflow?.rule ? 'request' : 'server',
        );
      if (start + texts.length === inputs.length) job.tokenized();
      if (!job.ended) dispatcher.add(texts.flatMap((text, at) => job.items(start + at, text, manifest)));
    }
  };
  const drop = (job: Job, error: unknown): void => {
    dispatcher.forget(job);
    job.fail(error);
  };

  return {
    async submit(request, onOverflow) {
      const { signal } = request;
      const job = new Job(request);
      const leave = (): void => drop(job, new AppError('CancelledError', 'Request cancelled.'));
      if (signal?.aborted) leave();
      signal?.addEventListener('abort', leave, { once: true });
      jobs.add(job);
      try {
        feed(job, request, onOverflow).catch((error: unknown) => drop(job, error));
        return await job.answer;
      } finally {
        jobs.delete(job);
        signal?.removeEventListener('abort', leave);
      }
    },
    waiting: () => [...jobs].reduce((sum, { left }) => sum + left, 0),
    async settled() {
      await Promise.allSettled([...jobs].map(({ answer }) => answer));
    },
  };
}

function refuseWithoutMask(texts: readonly TokenizedText[], start: number, manifest: Manifest): void {
  const { mask } = manifest;
  if (!mask) return;
  const index = texts.findIndex(({ ids }) => !ids.includes(mask.id));
  if (index >= 0) throw noMask(`Input ${start + index}`, manifest);
}

function refuseOverflow(
  texts: readonly TokenizedText[],
  inputOf: (at: number) => number,
  longest: string,
  ruledBy: 'request' | 'server',
): void {
  const index = texts.findIndex(({ truncated }) => truncated);
  if (index < 0) return;
  const wayOut =
    ruledBy === 'request'
      ? 'allow truncation in the request'
      : 'start the server with --on-overflow truncate';
  throw inputError(
    `Input ${inputOf(index)} is too long: it has more than ${longest}. Shorten it, or ${wayOut}.`,
  );
}
