import { create, type DescMessage, type JsonValue, mergeFromJson, type Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { HandlerContext } from '@connectrpc/connect';
import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { runAdmitted } from '#serve/run-admitted.ts';
import type { EncoderContext } from '../context.ts';
import { targetIds } from '../tasks/masks.ts';
import { filled } from '../predict/masks.ts';
import { truncatedHeaders } from '../predict/truncated-headers.ts';
import { planEntities } from '#core/model/entity-options.ts';
import { planOutputs } from '#core/model/output-plan.ts';
import { planVector } from '#core/model/vector-plan.ts';

/** Members that the requests and responses of all model types have in common. */
interface Request {
  readonly inputs: readonly string[];
  readonly normalize?: boolean | undefined;
  readonly dimensions?: number | undefined;
  readonly promptName?: string | undefined;
  readonly maxActiveDims?: number | undefined;
  readonly outputs?: readonly string[] | undefined;
  readonly role?: TextRole | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly threshold?: number | undefined;
  readonly flatNer?: boolean | undefined;
  readonly multiLabel?: boolean | undefined;
  readonly topK?: number | undefined;
  readonly targets?: readonly string[] | undefined;
  readonly metadata: Record<string, string>;
}
interface Response extends Message {
  modelId: string;
  metadata: Record<string, string>;
}

/** Field number of `results` in every response. */
const RESULTS = 1;

/**
 * Runs the model on the texts of a request. Each result arrives encoded from the thread that computed it and is added to the
 * response as an opaque field, so that no number is converted on the way to the socket.
 */
export async function predict<Answer extends Response>(
  { kernel, engine }: EncoderContext,
  call: HandlerContext,
  request: Request,
  schema: GenMessage<Answer>,
): Promise<Answer> {
  return await runAdmitted(kernel.lifecycle, async () => {
    // Results with masks are completed here, and encoded as a part of the response.
    const format = wantsJson(call) || engine.manifest.mask ? 'json' : 'proto';
    const { maxActiveDims, topK, role } = request;
    checkCount('max_active_dims', maxActiveDims);
    checkCount('top_k', topK);
    const targets = await targetIds(engine, request.targets);
    const outputs = planOutputs(engine.manifest, request.outputs);
    const { options, prompt } = planVector(engine.manifest, request);
    const entities = planEntities(engine.manifest, request);
    const { results, truncated } = await engine.run({
      inputs: request.inputs.map((text) => ({ text })),
      role,
      view: {
        kind: 'result',
        format,
        options: { ...options, maxActiveDims, outputs, topK, targets, role, entities },
      },
      prompt,
      labels: entities?.labels,
      signal: call.signal,
    });
    for (const [name, value] of truncatedHeaders(truncated)) call.responseHeader.set(name, value);
    const response = create(schema);
    response.modelId = engine.manifest.name;
    response.metadata = request.metadata;
    if (format === 'proto') {
      response.$unknown = results.map(encodedField);
      return response;
    }
    const parsed = engine.manifest.mask
      ? ((await filled(engine, results)) as unknown as JsonValue[])
      : results.map((json) => asMessage(parsedResult(json), resultOf(schema)));
    mergeFromJson(schema, response, { results: parsed }, { ignoreUnknownFields: true });
    return response;
  });
}

/** Other protocols check it by their schemas. */
function checkCount(name: string, count: number | undefined): void {
  if (count === 0) throw inputError(`${name} must be at least 1, not 0`);
}

const encodedField = (message: Uint8Array) => ({
  no: RESULTS,
  wireType: WireType.LengthDelimited,
  data: new BinaryWriter().bytes(message).finish(),
});

/** Keeps numbers in their shortest JSON form, which decoding a message would lose: 0.1, not 0.10000000149011612. */
const parsedResult = (json: Uint8Array): JsonValue =>
  parseJsonText(new TextDecoder().decode(json)) as JsonValue;

/** The message of a result. */
const resultOf = (response: DescMessage): DescMessage | undefined =>
  response.fields.find(({ number }) => number === RESULTS)?.message;

/** A result has a list of lists for vectors of tokens. Protocol buffers have none: each inner list is a message with one member. */
function asMessage(result: JsonValue, desc: DescMessage | undefined): JsonValue {
  if (!isObject(result)) return result;
  const wrapped = { ...result };
  for (const { jsonName, message } of desc?.fields ?? []) {
    const lists = result[jsonName];
    const [only, ...others] = message?.fields ?? [];
    if (only === undefined || others.length > 0 || !Array.isArray(lists)) continue;
    wrapped[jsonName] = lists.map((list) => (Array.isArray(list) ? { [only.jsonName]: list } : list));
  }
  return wrapped;
}

const wantsJson = ({ requestHeader }: HandlerContext): boolean =>
  /^application\/([a-z-]+\+)?json\b/i.test(requestHeader.get('content-type') ?? '');
