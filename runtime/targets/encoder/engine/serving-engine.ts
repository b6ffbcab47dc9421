import { availableParallelism } from 'node:os';
import { bytesPerTokenPair } from '#core/model/attention-memory.ts';
import { availableMemory } from '#platform/available-memory.ts';
import { OpenList } from '#core/limits/open-list.ts';
import { maxPairsInThreads, type Machine, planThreads, type ThreadPlan } from './thread-plan.ts';
import type { TokenizerSettings, Manifest } from '#contract/manifest.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { loadOnnxRuntime } from '#platform/onnx/session.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import { openModelTokenizer } from '#platform/model-tokenizer.ts';
import { type Model, openModel } from '../model.ts';
import type {
  EngineLimits,
  EngineObserver,
  ServingEngine,
  TruncationSide,
  EngineInput,
  TokenBoundary,
  EngineAnswer,
  EngineRequest,
  OverflowRule,
} from './serving.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { startInferenceThread, transformToOpen } from './inference-thread.ts';
import { type Pool, startPool, TEXT_FAILED } from './pool.ts';
import { tokenizerForRole, encodeMarked } from './encode-marked.ts';
import { AppError, inputError } from '#contract/errors.ts';
import { joinPair } from '#core/model/pair-prompt.ts';
import { planEntities } from '#core/model/entity-options.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import { maxTextLength } from '#core/model/mark-text.ts';
import { noMask } from '../tasks/fill-mask.ts';
import { TASKS } from '../tasks/index.ts';
import { checkSizes } from './input-limits.ts';
import { EngineJob } from './job.ts';
import { withStaticForm } from './staged-engine.ts';

export interface ServingOptions {
  readonly limits: EngineLimits;
  readonly workers?: number | undefined;
  /** Number of compute threads per worker. */
  readonly threads?: number | undefined;
  readonly cacheDir?: string | undefined;
  readonly observer?: EngineObserver;
  /**
   * Called when the worker threads have begun to open the model. This thread can do other work
   * until they are ready.
   */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
}

const SILENT: EngineObserver = { onBatch: () => {}, onRequest: () => {}, onWorkerDeath: () => {} };

/**
 * Opens the model at `path` for concurrent callers. Resolves after a warm-up run, so that the first
 * text is processed as fast as later texts.
 */
export async function openServingEngine(path: string, options: ServingOptions): Promise<ServingEngine> {
  const model = openModel(path);
  await model.check();
  const { limits, observer = SILENT, cacheDir } = options;
  return withStaticForm(await serveModel(model, options), model, (form, onEnd) =>
    // The numbers of threads and of tokens in a batch apply to the model, which has a graph.
    serveModel(form, {
      limits: { ...limits, maxBatchTokens: undefined },
      cacheDir,
      observer: { ...observer, onEnd },
    }),
  );
}

async function serveModel(model: Model, options: ServingOptions): Promise<ServingEngine> {
  const { limits, observer = SILENT } = options;
  const { manifest } = model;
  const machine = machineFor(model);
  const plan = planThreads(machine, options);
  const maxBatchTokens = limits.maxBatchTokens ?? batchTokensPerThread(model) * plan.threads;
  const maxPairs = maxPairsInThreads(bytesPerTokenPair(manifest), machine.memoryBytes);
  const dispatcher = createDispatcher({ maxTokens: maxBatchTokens, maxPairs }, manifest, observer);
  const { tokenizer, tokenizerFor, pool } = await start(model, dispatcher, plan, options);
  const runner = createRunner(tokenizerFor, dispatcher, manifest, limits.maxWindows);
  await warmUp(runner, manifest);
  const boundary = await findBoundary(tokenizer);
  const maxTokenId = manifest.tokenizer.vocabularySize - 1;

  return {
    manifest,
    boundary,
    limits,
    async run(request) {
      const { indexOf, prompt = '', instruction } = request;
      if (request.inputs.length === 0 || request.inputs.some(isEmpty))
        throw inputError('Cannot tokenize empty string');
      // The prompt is read with each text, so it counts toward the limits.
      const inputs = withPairPrompt(withPrompt(request.inputs, prompt), manifest, instruction);
      checkInputs(inputs, limits, maxTokenId, indexOf);
      checkRoom(inputs.length, runner.waiting(), limits);
      const answer = await runner.submit({ ...request, inputs }, limits.onOverflow);
      const tokens = answer.tokens.reduce((sum, count) => sum + count, 0);
      const { truncated, timings } = answer;
      observer.onRequest({ inputs: inputs.length, tokens, truncated: truncated.length, timings });
      return answer;
    },
    async tokenize(texts, addSpecialTokens, side) {
      const inputs = texts.map((text) => ({ text }));
      checkSizes(inputs, limits);
      const sided = side === undefined ? tokenizer : tokenizerFor(side);
      return await sided.encode(inputs, { details: true, addSpecialTokens });
    },
    decode: (ids, skipSpecialTokens) => tokenizer.decode(ids, skipSpecialTokens),
    tokenOf: (id) => tokenizer.tokenOf(id),
    idOf: (token) => tokenizer.idOf(token),
    stats: () => ({ queued: runner.waiting(), workers: pool.size() }),
    async close() {
      await runner.settled();
      await pool.close();
    },
  };
}

/**
 * Larger batches exceed the CPU caches. With 1024 tokens, the throughput for texts of mixed lengths
 * drops by up to a tenth (measured).
 */
const BATCH_TOKENS_PER_THREAD = 512;

/** A table does not need the CPU cache. A batch of this size takes about 10 ms. */
const TABLE_BATCH_TOKENS = 4096;

/** The default maximum number of tokens in a batch, for each compute thread. */
export const batchTokensPerThread = ({ body }: Pick<Model, 'body'>): number =>
  body.kind === 'table' ? TABLE_BATCH_TOKENS : BATCH_TOKENS_PER_THREAD;

/** The CPUs and the memory that this process can use, with container limits taken into account. */
const machineFor = ({ body, weightsBytes }: Model): Machine => ({
  cores: availableParallelism(),
  memoryBytes: availableMemory(),
  weightsBytes,
  sharesWeights: body.kind === 'table',
});

interface Started {
  readonly tokenizer: TextTokenizer;
  readonly tokenizerFor: (side: TruncationSide, maxLength?: number) => TextTokenizer;
  readonly pool: Pool;
}

/**
 * The worker threads open the model while this thread loads the tokenizer, whose work runs in
 * Node's thread pool.
 */
async function start(
  model: Model,
  dispatcher: Dispatcher,
  plan: ThreadPlan,
  { cacheDir, limits, meanwhile }: ServingOptions,
): Promise<Started> {
  // Texts of different requests are tokenized concurrently. Additional tokenizer threads would take
  // CPU time away from the model.
  process.env['TOKENIZERS_PARALLELISM'] ??= 'false';
  const native = await loadNativeLibraries(cacheDir);
  const transform = transformToOpen(model, native.lua);
  // Starts in the background while this thread initializes ONNX Runtime.
  const first = startInferenceThread();
  const { manifest, body, layers } = model;
  try {
    if (body.kind === 'graph') loadOnnxRuntime(native.onnxruntime);
  } catch (error) {
    await first.close();
    throw error;
  }
  const addon = native.onnxruntime;
  const starting = startPool(
    { addon, body, prepack: true, manifest, layers, background: true, transform },
    plan,
    dispatcher.hooks,
    model.isStillThere,
    { first },
  );
  const open = (settings: TokenizerSettings): TextTokenizer =>
    openModelTokenizer(native.tokenizers, model.tokenizer, manifest, limits.maxWindows, settings);
  const settings = tokenizerForRole(manifest, 'document');
  const opening = Promise.all([Promise.try(open, settings), meanwhile?.()]);
  const [pool, opened] = await Promise.allSettled([starting, opening]);
  if (pool.status === 'rejected') throw pool.reason;
  if (opened.status === 'rejected') {
    await pool.value.close();
    throw opened.reason;
  }
  dispatcher.attach(pool.value);
  const [tokenizer] = opened.value;
  const tokenizerFor = tokenizersBySide(tokenizer, settings, open);
  return { pool: pool.value, tokenizer, tokenizerFor };
}

/** Returns the inputs with a prompt before each text. Inputs that consist of token ids are not changed. */
function withPrompt(inputs: readonly EngineInput[], prompt: string): readonly EngineInput[] {
  if (prompt === '') return inputs;
  return inputs.map((input) => ('text' in input ? { ...input, text: prompt + input.text } : input));
}

/**
 * Returns the inputs with each pair in the model's prompt, if the model is a generative model. A
 * single text is read as it is, so it can contain a pair in the form of the prompt.
 */
function withPairPrompt(
  inputs: readonly EngineInput[],
  { pairPrompt }: Manifest,
  instruction: string | undefined,
): readonly EngineInput[] {
  if (!pairPrompt) return inputs;
  return inputs.map((input, index) => {
    if ('text' in input && input.pair !== undefined)
      return joinPair(pairPrompt, { query: input.text, document: input.pair, instruction });
    if (instruction === undefined) return input;
    throw inputError(
      `instruction requires pairs of a query and a document, but input ${index} is a single text. Remove instruction, or write it in the text.`,
    );
  });
}

/** Rejects invalid inputs before they are tokenized. */
function checkInputs(
  inputs: readonly EngineInput[],
  limits: EngineLimits,
  maxTokenId: number,
  indexOf: EngineRequest['indexOf'],
): void {
  checkSizes(inputs, limits, indexOf);
  for (const [index, input] of inputs.entries()) {
    if ('ids' in input) checkIds(input.ids, index, maxTokenId);
  }
}

/**
 * Rejects a request that does not fit into the queue. When the queue is empty, a request of any
 * size is accepted.
 */
function checkRoom(inputs: number, waiting: number, { maxQueue }: EngineLimits): void {
  if (waiting === 0 || waiting + inputs <= maxQueue) return;
  throw new AppError(
    'OverloadedError',
    `The model is overloaded: ${waiting} inputs are queued, and the maximum is ${maxQueue} (--max-queue). Retry in a second.`,
  );
}

const isEmpty = (input: EngineInput): boolean =>
  'ids' in input ? input.ids.length === 0 : input.text === '' || input.pair === '';

function checkIds(ids: readonly number[], index: number, maxTokenId: number): void {
  const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id > maxTokenId);
  if (bad === undefined) return;
  throw inputError(
    `Input ${index} contains the invalid token id ${bad}. Token ids for this model range from 0 to ${maxTokenId}.`,
  );
}

/**
 * Returns the tokenizer for a truncation side and a maximum number of tokens. The library stores
 * both values in the tokenizer, so other values require another tokenizer, which is opened for the
 * first request that needs it.
 */
function tokenizersBySide(
  tokenizer: TextTokenizer,
  settings: TokenizerSettings,
  open: (settings: TokenizerSettings) => TextTokenizer,
): (side: TruncationSide, maxLength?: number) => TextTokenizer {
  const opened = new Map([[keyOf(settings.truncationSide, settings.maxLength), tokenizer]]);
  return (truncationSide, maxLength = settings.maxLength) => {
    const key = keyOf(truncationSide, maxLength);
    const found = opened.get(key) ?? open({ ...settings, truncationSide, maxLength });
    opened.set(key, found);
    return found;
  };
}

const keyOf = (side: TruncationSide, maxLength: number): string => `${side} ${maxLength}`;

/** Finds the special token that the tokenizer puts at the start of every text, or otherwise at the end. */
async function findBoundary(tokenizer: TextTokenizer): Promise<TokenBoundary | undefined> {
  const [text] = await tokenizer.encode([{ text: 'a' }], { details: true });
  if (!text?.details) return undefined;
  const { ids, details } = text;
  const at = (side: TokenBoundary['side'], index: number): TokenBoundary | undefined => {
    const [id, token] = [ids[index], details.tokens[index]];
    if (details.special[index] !== 1 || id === undefined || token === undefined) return undefined;
    return { side, id, token };
  };
  return at('start', 0) ?? at('end', ids.length - 1);
}

/**
 * Runs the model on a short text, so that the first request is not slowed down by the one-time cost
 * of the first run. Memory for longer texts is not allocated in advance: running a full batch would
 * delay the start by 120 ms of CPU time, and only make the first full batch a few percent faster.
 */
async function warmUp(runner: Runner, { transform, mask, entities: settings }: Manifest): Promise<void> {
  const entities = planEntities({ entities: settings }, { labels: ['a'] });
  const view = { kind: 'result', format: 'json', options: { entities } } as const;
  const inputs = [{ text: mask ? `${mask.token} a` : 'a' }];
  await runner.submit({ inputs, view, labels: entities?.labels }, 'truncate').catch((error: unknown) => {
    // The transform or the model can fail for this text and still work for other texts.
    if (!transform && AppError.from(error).reason !== TEXT_FAILED) throw error;
  });
}

interface Runner {
  /** Tokenizes the inputs of a request, runs the model on them and collects the results. */
  readonly submit: (request: EngineRequest, onOverflow: OverflowRule) => Promise<EngineAnswer>;
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
 * Number of inputs to tokenize in one call. It is limited so that a large request does not block
 * small requests.
 */
const TOKENIZE_AT_ONCE = 64;

function createRunner(
  tokenizerFor: TokenizerForSide,
  dispatcher: Dispatcher,
  manifest: Manifest,
  maxWindows: number,
): Runner {
  const { modelType, tokenizer: settings, windows, multiVector, entities } = manifest;
  const { maxLength, truncationSide } = settings;
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
  const feed = async (job: EngineJob, request: EngineRequest, onOverflow: OverflowRule): Promise<void> => {
    const { inputs, overflow, indexOf = (input) => input, role = 'document' } = request;
    const { rule = onOverflow, side = truncationSide } = overflow ?? {};
    for (let start = 0; start < inputs.length && !job.ended; start += TOKENIZE_AT_ONCE) {
      const texts = await tokenize(inputs.slice(start, start + TOKENIZE_AT_ONCE), side, request);
      refuseWithoutMask(texts, start, manifest);
      if (rule === 'error')
        refuseOverflow(
          texts,
          (at) => indexOf(start + at),
          longestFor(role),
          overflow?.rule ? 'request' : 'server',
        );
      if (start + texts.length === inputs.length) job.tokenized();
      if (!job.ended) dispatcher.add(texts.flatMap((text, at) => job.items(start + at, text, manifest)));
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
