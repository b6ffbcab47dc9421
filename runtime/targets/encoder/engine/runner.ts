import { AppError, inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { OpenList } from '#core/limits/open-list.ts';
import { NO_PROMPT, withAdapter } from '#core/model/applied-prompt.ts';
import { imageGraph } from '#core/model/image-graph.ts';
import { maxTextLength } from '#core/model/mark-text.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import { itemAt } from '#core/values/item-at.ts';
import { ownTurn } from '#platform/run-yielding.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import type { Model } from '../model.ts';
import { noMask } from '../tasks/fill-mask.ts';
import { TASKS } from '../tasks/index.ts';
import type { Dispatcher } from './dispatcher.ts';
import { encodeMarked } from './encode-marked.ts';
import { ITSELF } from './input-limits.ts';
import { EngineJob, type JobItem } from './job.ts';
import { laneOf } from './lanes.ts';
import type { Submit } from './result-cache.ts';
import type { PreparedInput, PreparedRequest, OverflowRule, TruncationSide } from './serving.ts';

export interface Runner {
  /** Tokenizes the inputs of a request, runs the model on them and collects the results. */
  readonly submit: Submit;
  /** Number of inputs that are accepted but not yet completed. */
  readonly waiting: () => number;
  /** Resolves when no inputs are waiting. */
  readonly settled: () => Promise<void>;
}

/**
 * Returns the tokenizer that truncates texts on this side, by default to the model's maximum number
 * of tokens.
 */
type TokenizerForSide = (side: TruncationSide, maxLength?: number) => TextTokenizer;

/**
 * Maximum number of inputs, and of their characters, to tokenize before other requests get a turn.
 * This takes about a millisecond.
 */
const INPUTS_AT_ONCE = 64;
const CHARACTERS_AT_ONCE = 4096;

/** Returns the end of the inputs to tokenize next; at least one input. */
function endOfTurn(inputs: readonly PreparedInput[], start: number): number {
  let characters = 0;
  let end = start;
  do {
    const input = inputs[end];
    characters += input && 'text' in input ? input.text.length + (input.pair?.length ?? 0) : 0;
    end += 1;
  } while (end < inputs.length && end < start + INPUTS_AT_ONCE && characters < CHARACTERS_AT_ONCE);
  return end;
}

export function createRunner(
  tokenizerFor: TokenizerForSide,
  dispatcher: Dispatcher,
  { manifest, queryWeights }: Pick<Model, 'manifest' | 'queryWeights'>,
  maxWindows: number,
): Runner {
  const { modelType, tokenizer: settings, windows, multiVector, entities } = manifest;
  const { maxLength, truncationSide } = settings;
  const { positions } = imageGraph(manifest);
  const longestFor = (role: TextRole): string => {
    if (multiVector) return `${multiVector[role].maxLength} tokens, this model's maximum for a ${role}`;
    return windows
      ? `${maxWindows} ${maxWindows === 1 ? 'window' : 'windows'} of ${entities ? `${entities.maxWords} words` : `${maxLength} tokens`} (--max-windows)`
      : `${maxLength} tokens, this model's maximum`;
  };
  const jobs = new OpenList<EngineJob>();
  const { details } = TASKS[modelType];

  const encode = async (
    texts: readonly TextInput[],
    side: TruncationSide,
    { role = 'document', labels }: PreparedRequest,
  ): Promise<TokenizedText[]> => {
    if (texts.length === 0) return [];
    const rules = multiVector?.[role];
    return rules
      ? await encodeMarked(tokenizerFor(side, maxTextLength(rules)), texts, rules)
      : await tokenizerFor(side).encode(texts, { details, labels, addSpecialTokens: !isFromTable(role) });
  };
  const isFromTable = (role: TextRole): boolean => role === 'query' && queryWeights !== undefined;
  /** Completes queries whose values come from a table, so that the model does not run. */
  const answerFromTable = async (items: readonly JobItem[]): Promise<void> => {
    // Other models do not need this code in this thread.
    const { renderOne } = await import('./render.ts');
    for (const item of items) {
      const inference = { text: item.text, values: new Float32Array(), queryWeights };
      item.job.done(item, renderOne(inference, item.view, manifest));
    }
  };
  const tokenize = async (
    inputs: readonly PreparedInput[],
    side: TruncationSide,
    request: PreparedRequest,
  ): Promise<readonly TokenizedText[]> => {
    const encoded = await encode(
      inputs.filter((input) => 'text' in input),
      side,
      request,
    );
    let next = 0;
    const texts = inputs.map((input) => {
      if ('text' in input) return itemAt(encoded, next++);
      if ('image' in input) return { ids: new Int32Array(positions), image: input.image, truncated: false };
      return {
        ids: Int32Array.from(side === 'left' ? input.ids.slice(-maxLength) : input.ids.slice(0, maxLength)),
        truncated: input.ids.length > maxLength,
      };
    });
    return withAdapter(texts, request.prompt ?? NO_PROMPT);
  };
  const feed = async (job: EngineJob, request: PreparedRequest, onOverflow: OverflowRule): Promise<void> => {
    const { inputs, overflow, indexOf = ITSELF, role = 'document' } = request;
    const { rule = onOverflow, side = truncationSide } = overflow ?? {};
    for (let start = 0, end = 0; start < inputs.length && !job.ended; start = end) {
      if (start > 0) await ownTurn();
      end = endOfTurn(inputs, start);
      const texts = await tokenize(inputs.slice(start, end), side, request);
      if (start === 0) job.lane = request.lane ?? laneOf(texts, inputs.length);
      refuseWithoutMask(texts, (at) => indexOf(start + at), manifest);
      if (rule === 'error')
        refuseOverflow(
          texts,
          (at) => indexOf(start + at),
          longestFor(role),
          overflow?.rule ? 'request' : 'server',
        );
      if (end === inputs.length) job.tokenized();
      if (job.ended) return;
      const items = texts.flatMap((text, at) => job.items(start + at, text, manifest));
      if (isFromTable(role)) await answerFromTable(items);
      else dispatcher.add(items);
    }
  };
  const drop = (job: EngineJob, error: unknown): void => {
    dispatcher.forget(job);
    job.fail(error);
  };

  return {
    async submit(request, onOverflow) {
      const { signal } = request;
      const job = new EngineJob(request);
      const leave = (): void => drop(job, new AppError('CancelledError', 'Request canceled.'));
      if (signal?.aborted) leave();
      signal?.addEventListener('abort', leave, { once: true });
      const entry = jobs.add(job);
      try {
        feed(job, request, onOverflow).catch((error: unknown) => drop(job, error));
        return await job.answer;
      } finally {
        jobs.delete(entry);
        signal?.removeEventListener('abort', leave);
      }
    },
    waiting: () => jobs.items().reduce((sum, { left }) => sum + left, 0),
    async settled() {
      await Promise.allSettled(jobs.items().map(({ answer }) => answer));
    },
  };
}

function refuseWithoutMask(
  texts: readonly TokenizedText[],
  indexOf: (at: number) => number,
  manifest: Manifest,
): void {
  const { mask } = manifest;
  if (!mask) return;
  const index = texts.findIndex(({ ids }) => !ids.includes(mask.id));
  if (index >= 0) throw noMask(`Input ${indexOf(index)}`, manifest);
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
