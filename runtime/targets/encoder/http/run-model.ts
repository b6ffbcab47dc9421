import type { Context } from 'hono';
import type { RankingStage } from '#core/model/stage-plan.ts';
import { codePoints } from '#core/text/code-points.ts';
import { disconnectSignal, type HttpAnswer, type HttpExchange, JSON_TYPE } from '#serve/http/exchange.ts';
import type { AnswerHeader, Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { type Lane, LANES } from '../engine/lanes.ts';
import {
  MAX_LISTED_INDEXES,
  STAGE_HEADER,
  TRUNCATED_COUNT,
  TRUNCATED_INDEXES,
  truncatedHeaders,
} from '../predict/predict.ts';
import { PRIORITY, PRIORITY_DESCRIPTION, readPriority } from '../predict/priority.ts';
import type { CallerRequest, EngineAnswer, EngineInput, ServingEngine } from '../engine/serving.ts';

/** The parts of a request that are required for running the model. */
export interface ModelCaller extends Pick<HttpExchange, 'setHeader'> {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The lane that the client has chosen. */
  readonly lane: Lane | undefined;
}

/** Returns the caller of a request that the app has received. */
export const requestCaller = (c: Context): ModelCaller => ({
  setHeader: (name, value) => c.header(name, value),
  signal: c.req.raw.signal,
  lane: readPriority(c.req.header(PRIORITY)),
});

/** Returns the caller of a request that the app or a direct route has received. */
export const callerAt = (exchange: HttpExchange): ModelCaller => ({
  setHeader: exchange.setHeader,
  signal: disconnectSignal(exchange),
  lane: readPriority(exchange.headers.get(PRIORITY)),
});

/** Runs the model until the client disconnects, in the client's lane. */
export const runFor = (
  { signal, lane }: Pick<ModelCaller, 'signal' | 'lane'>,
  engine: ServingEngine,
  request: CallerRequest,
): Promise<EngineAnswer> => engine.run({ ...request, signal, lane });

/** Runs the model until the client disconnects, and reports timings and truncated inputs in the response headers. */
export async function runModel(
  { setHeader, signal, lane }: ModelCaller,
  engine: ServingEngine,
  request: CallerRequest,
): Promise<EngineAnswer> {
  const start = performance.now();
  const answer = await runFor({ signal, lane }, engine, request);
  const { inputs } = request;
  const { truncated } = answer;
  const total = performance.now() - start;
  reportRuns(setHeader, { stage: engine.stage, runs: [{ inputs, answer }], truncated, total });
  return answer;
}

/** A run of the model, for response headers. */
export interface ModelRun {
  readonly inputs: readonly EngineInput[];
  readonly answer: EngineAnswer;
}

interface RunsReport {
  readonly stage: RankingStage | undefined;
  readonly runs: readonly ModelRun[];
  /** Indexes of the inputs in the request that were truncated. */
  readonly truncated: readonly number[];
  /** Duration of all runs, in milliseconds. */
  readonly total: number;
}

/** Reports the runs for one request in the response headers. */
export function reportRuns(
  setHeader: ModelCaller['setHeader'],
  { stage, runs, truncated, total }: RunsReport,
): void {
  const sum = (of: (run: ModelRun) => number): number => sumOf(runs.map(of));
  const time = milliseconds(total);
  setHeader('X-Compute-Type', 'cpu');
  if (stage) setHeader(STAGE_HEADER, stage);
  setHeader('X-Compute-Time', time);
  setHeader('X-Compute-Characters', String(sum(({ inputs }) => sumOf(inputs.map(characters)))));
  setHeader('X-Compute-Tokens', String(sum(({ answer }) => sumOf(answer.tokens))));
  setHeader('X-Total-Time', time);
  setHeader('X-Tokenization-Time', milliseconds(sum(({ answer }) => answer.timings.tokenization)));
  setHeader('X-Queue-Time', milliseconds(sum(({ answer }) => answer.timings.queue)));
  setHeader('X-Inference-Time', milliseconds(sum(({ answer }) => answer.timings.inference)));
  const cached = runs.flatMap(({ answer }) => answer.cached ?? []);
  if (cached.length > 0) setHeader(CACHED_COUNT, String(sumOf(cached)));
  for (const [name, value] of truncatedHeaders(truncated)) setHeader(name, value);
}

const CACHED_COUNT = 'X-Cached-Inputs';

const time = (name: string, description: string): AnswerHeader => ({ name, description, type: 'number' });

/** Adds the request header that all routes that run the model read to the description of such a route. */
export const documentPriority = (operation: Operation): Operation =>
  operation.answer.headers === ANSWER_HEADERS
    ? { ...operation, parameters: [...(operation.parameters ?? []), PRIORITY_PARAMETER] }
    : operation;

const PRIORITY_PARAMETER = {
  name: PRIORITY,
  in: 'header',
  description: PRIORITY_DESCRIPTION,
  schema: oneOf(LANES),
  example: 'bulk',
} as const;

/**
 * The headers of every response from the model. The names of the timings follow Hugging Face's
 * text-embeddings-inference.
 */
export const ANSWER_HEADERS: readonly AnswerHeader[] = [
  { name: 'X-Compute-Type', description: 'Device that ran the model.', type: 'string' },
  {
    name: STAGE_HEADER,
    description:
      'Form of the model that computed the response: fast, exact or two_stage. Absent if the file contains only one form.',
    type: 'string',
  },
  time('X-Compute-Time', 'Total time in milliseconds.'),
  { name: 'X-Compute-Characters', description: 'Number of characters in all texts.', type: 'integer' },
  { name: 'X-Compute-Tokens', description: 'Number of tokens processed.', type: 'integer' },
  time('X-Total-Time', 'Total time in milliseconds.'),
  time('X-Tokenization-Time', 'Tokenization time in milliseconds.'),
  time('X-Queue-Time', 'Queue time in milliseconds.'),
  time('X-Inference-Time', 'Inference time in milliseconds.'),
  {
    name: CACHED_COUNT,
    description:
      'Number of inputs whose results were in the cache, including repeated inputs of the same request. Absent if the server has no cache (`--result-cache`).',
    type: 'integer',
  },
  {
    name: TRUNCATED_COUNT,
    description: 'Number of inputs that were truncated because they are longer than the model supports.',
    type: 'integer',
  },
  {
    name: TRUNCATED_INDEXES,
    description: `Comma-separated indexes of truncated inputs, at most the first ${MAX_LISTED_INDEXES}. Absent if no inputs were truncated.`,
    type: 'string',
  },
];

const milliseconds = (value: number): string => String(Number(value.toFixed(3)));

const characters = (input: EngineInput): number =>
  'text' in input ? codePoints(input.text) + codePoints(input.pair ?? '') : 0;

/** The total number of tokens of all inputs. */
export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/**
 * Builds a JSON response from pieces that are already JSON, so that long lists of numbers do not
 * have to be parsed and serialized again.
 */
export function jsonAnswer(c: Context, pieces: readonly (string | Uint8Array)[]): Response {
  c.header('Content-Type', 'application/json');
  return c.body(joined(pieces));
}

/** Like `jsonAnswer`, but for a request that the app or a direct route has received. */
export const piecesAnswer = (pieces: readonly (string | Uint8Array)[]): HttpAnswer => ({
  status: 200,
  headers: JSON_TYPE,
  body: joined(pieces),
});

const joined = (pieces: readonly (string | Uint8Array)[]): Buffer<ArrayBuffer> =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));

/** Returns the pieces of a JSON list: the elements, with delimiters between them. */
export function listPieces(
  elements: readonly Uint8Array[],
  before: (index: number) => string = () => '',
  after = '',
): (string | Uint8Array)[] {
  return elements.flatMap((element, index) => [
    `${index === 0 ? '[' : ','}${before(index)}`,
    element,
    after + (index === elements.length - 1 ? ']' : ''),
  ]);
}
