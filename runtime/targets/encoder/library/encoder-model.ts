import { AppError, inputError } from '#contract/errors.ts';
import { type ModelType, vectorKind } from '#contract/model-types.ts';
import { vectorWidth } from '#core/model/vector-width.ts';
import { LANES } from '../engine/lanes.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { predictResults, type RunForm } from '../predict/predict.ts';
import { bodyChecker } from './check-body.ts';
import { withOwnErrors } from './errors.ts';
import { readInputs } from './read-images.ts';
import { readJson, vectorInBase64, vectorsInJson } from './vectors.ts';
import { isOneOf } from '#core/values/is-one-of.ts';

/** The options of a call: the fields of `POST /predict`, and what a server reads from the connection and headers. */
interface CallOptions extends Readonly<Record<string, unknown>> {
  readonly signal?: AbortSignal;
  readonly priority?: unknown;
  readonly pooling?: unknown;
}

/** An open model. Its public type depends on the type of the model, see types.ts. */
export class EncoderModel {
  readonly type: ModelType;
  readonly name: string;
  readonly version: string;
  /** Number of dimensions of a vector; undefined for models that do not return vectors. */
  readonly dimensions: number | undefined;
  /** Labels in the order of their indexes; undefined for models without labels. */
  readonly labels: readonly string[] | undefined;
  readonly #engine: ServingEngine;
  readonly #check: ReturnType<typeof bodyChecker>;
  /** Calls in flight. The engine only knows those whose inputs have been read. */
  readonly #calls = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(engine: ServingEngine) {
    const { manifest } = engine;
    this.type = manifest.modelType;
    this.name = manifest.name;
    this.version = manifest.version;
    this.dimensions = vectorKind(this.type)
      ? (manifest.sentence?.dimensions ?? vectorWidth(manifest))
      : undefined;
    this.labels = manifest.id2label && Object.values(manifest.id2label);
    this.#engine = engine;
    this.#check = bodyChecker(engine);
  }

  /** Returns the vectors of the inputs, in order. */
  embed(inputs: readonly unknown[], options: CallOptions = {}): Promise<unknown[]> {
    return this.#call(options, async () => {
      this.#require('embed');
      const { pooling = 'mean', ...rest } = options;
      if (!isOneOf(['mean', 'none'], pooling))
        throw inputError(`Invalid pooling: ${JSON.stringify(pooling)}. Valid values: mean, none.`);
      const isPooled = this.type !== 'embedding' || pooling === 'mean';
      if (this.type !== 'embedding' && options.pooling !== undefined) {
        throw inputError(
          `pooling requires a model of type embedding, but ${this.name} is of type ${this.type}. Remove pooling.`,
        );
      }
      const wishes = this.type === 'embedding' ? { normalize: false, ...rest } : rest;
      const kind = vectorKind(this.type);
      const isDense = isPooled && (kind === 'text' || kind === 'tokens');
      const { format, results } = await this.#run(inputs, wishes, isDense ? 'vector' : 'json');
      return format === 'vector'
        ? results.map(vectorInBase64)
        : results.map((result) => vectorsInJson(result, this.type));
    });
  }

  /** Returns the results of the inputs, in order: the entries of `results` in the response of `POST /predict`. */
  predict(inputs: readonly unknown[], options: CallOptions = {}): Promise<unknown[]> {
    return this.#call(options, async () => {
      this.#require('predict');
      const { results } = await this.#run(inputs, options, 'json');
      return results.map(readJson);
    });
  }

  /** Finishes accepted calls, ends all threads and frees the memory of the model. Later calls are rejected. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#calls);
    await this.#engine.close();
  }

  async #call<Result>(options: CallOptions, run: () => Promise<Result>): Promise<Result> {
    const call = withOwnErrors(options, run);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  #require(method: 'embed' | 'predict'): void {
    if (this.#closed)
      throw new AppError('UnavailableError', `The model ${this.name} is closed. Open it again.`);
    const right = vectorKind(this.type) ? 'embed' : 'predict';
    if (method !== right)
      throw inputError(`${this.name} is of type ${this.type}. Use ${right}() instead of ${method}().`);
  }

  async #run(
    inputs: unknown,
    { signal, priority, ...fields }: CallOptions,
    wanted: 'json' | 'vector',
  ): ReturnType<typeof predictResults> {
    if (!Array.isArray(inputs))
      throw inputError(`The inputs must be an array, not ${shown(inputs)}. Pass [input].`);
    if (priority !== undefined && !isOneOf(LANES, priority))
      throw inputError(`Invalid priority: ${JSON.stringify(priority)}. Valid values: ${LANES.join(', ')}.`);
    if (inputs.length === 0) return { format: 'json', results: [] };
    const engine = this.#engine;
    const read = await readInputs(inputs, this.type, engine.limits.images);
    const body: object = { ...fields, inputs: read.checked };
    this.#check(body);
    const run: RunForm = (form, request) => form.run({ ...request, signal, lane: priority });
    return await predictResults(engine, { ...body, inputs: read.inputs }, run, wanted);
  }
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const article = typeof value === 'object' ? 'an' : 'a';
  return `${article} ${typeof value}`;
}
