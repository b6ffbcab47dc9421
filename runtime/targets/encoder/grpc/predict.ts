import {
  create,
  type DescEnum,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type JsonValue,
  type Message,
  mergeFromJson,
} from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { HandlerContext } from '@connectrpc/connect';
import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { ModelType as ModelTypeName } from '#contract/model-types.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import {
  type GetModelMetadataResponse,
  GetModelMetadataResponseSchema,
  ModelType,
} from '#gen/encoder/model_pb.ts';
import { runAdmitted } from '#serve/lifecycle.ts';
import type { EncoderContext } from '../context.ts';
import { predictResults, STAGE_HEADER, truncatedHeaders } from '../predict/predict.ts';
import { PRIORITY, readPriority } from '../predict/priority.ts';
import type { JsonPiece, PredictBody } from '../served/served-type.ts';

/** The fields that all model types have in their responses. */
interface Response extends Message {
  modelId: string;
  metadata: Record<string, string>;
}

/** Field number of `results` in every response. */
const RESULTS = 1;

/**
 * The method that runs the model on a request's inputs. Request fields have the same names as in
 * `/predict`. Results that a worker thread has encoded are added to the response as opaque fields,
 * so that their numbers are not converted again.
 */
export function answerPredict({ kernel, engine }: EncoderContext, service: DescService) {
  const { input, output } = methodOf(service, 'Predict');
  return async (request: Message, call: HandlerContext): Promise<Message> =>
    await runAdmitted(kernel.lifecycle, async () => {
      const body = membersOf(request, input) as PredictBody;
      const lane = readPriority(call.requestHeader.get(PRIORITY));
      const { format, results } = await predictResults(
        engine,
        body,
        async (form, wanted) => {
          const answer = await form.run({ ...wanted, signal: call.signal, lane });
          if (form.stage) call.responseHeader.set(STAGE_HEADER, form.stage);
          for (const [name, value] of truncatedHeaders(answer.truncated))
            call.responseHeader.set(name, value);
          return answer;
        },
        wantsJson(call) ? 'json' : 'proto',
      );
      const response = create(output) as Response;
      response.modelId = engine.manifest.name;
      response.metadata = { ...body.metadata };
      if (format === 'proto') {
        response.$unknown = results.map(encodedField);
        return response;
      }
      const parsed = results.map((json) => asMessage(parsedResult(json), resultOf(output)));
      return mergeFromJson(output, response, { results: parsed }, { ignoreUnknownFields: true });
    });
}

/** A method of a model type's service. All of these methods are unary. */
export function methodOf({ methods, typeName }: DescService, name: string): DescMethodUnary {
  const method = methods.filter(isUnary).find((one) => one.name === name);
  if (!method) throw new Error(`${typeName} has no method ${name}`);
  return method;
}

const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === 'unary';

/** The fields of a request under the names that its definition and `/predict` use: `top_k`, not `topK`. */
const membersOf = (request: Message, { fields }: DescMessage): object =>
  Object.fromEntries(
    fields.map((field) => {
      const value = (request as unknown as Record<string, unknown>)[field.localName];
      const isWord = field.enum !== undefined && value !== undefined;
      if (isWord) return [field.name, wordOf(value, field.name, field.enum)];
      const [choice] = (field.fieldKind === 'list' && field.message?.oneofs) || [];
      return [field.name, choice ? choicesIn(value, choice.localName) : value];
    }),
  );

/** Messages with a choice of fields become objects with the chosen one, as in `/predict`. */
const choicesIn = (messages: unknown, name: string): object[] =>
  (messages as readonly Readonly<Record<string, Choice>>[]).map(({ [name]: choice }) =>
    choice?.case === undefined ? {} : { [choice.case]: choice.value },
  );

interface Choice {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/**
 * The string that `/predict` uses for an enum value, or for each value in a list: `dense` for
 * `EMBEDDING_OUTPUT_DENSE`.
 */
function wordOf(value: unknown, member: string, { values }: DescEnum): unknown {
  const [unspecified, ...known] = values;
  const names = known.map(({ name }) => name);
  if (Array.isArray(value)) {
    return value.map((one: unknown) => {
      const found = known.find(({ number }) => number === one);
      if (found) return found.localName.toLowerCase();
      throw inputError(`${member} must contain only ${names.join(', ')}, not ${String(one)}`);
    });
  }
  const found = known.find(({ number }) => number === value);
  if (found) return found.localName.toLowerCase();
  const given = unspecified && value === unspecified.number ? unspecified.name : String(value);
  throw inputError(`${member} must be ${names.join(' or ')}, not ${given}`);
}

const encodedField = (message: Uint8Array) => ({
  no: RESULTS,
  wireType: WireType.LengthDelimited,
  data: new BinaryWriter().bytes(message).finish(),
});

/**
 * Keeps numbers in their shortest JSON form, which would be lost if a message were decoded: 0.1,
 * not 0.10000000149011612.
 */
const parsedResult = (json: JsonPiece): JsonValue =>
  parseJsonText(typeof json === 'string' ? json : new TextDecoder().decode(json)) as JsonValue;

/** The message type of a result. */
const resultOf = (response: DescMessage): DescMessage | undefined =>
  response.fields.find(({ number }) => number === RESULTS)?.message;

/**
 * Token vectors are lists of lists, which Protocol Buffers does not support, so each inner list
 * becomes a message with a single field.
 */
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

export const getModelMetadata = ({
  name,
  version,
  modelType,
  id2label,
}: Manifest): GetModelMetadataResponse =>
  create(GetModelMetadataResponseSchema, {
    modelId: name,
    modelType: valueOf(modelType),
    id2label: { ...id2label },
    version,
  });

/** The enum values are the type names in capital letters, so a missing type is a compile-time error. */
const valueOf = (type: ModelTypeName): ModelType => ModelType[type.toUpperCase() as Uppercase<ModelTypeName>];
