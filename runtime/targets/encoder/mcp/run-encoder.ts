import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { Ajv, type ValidateFunction } from 'ajv';
import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { DOCUMENTED_KEYWORD, documentedKeywords } from '#serve/http/documented.ts';
import { explainProblems, MESSAGE_KEYWORD } from '#serve/http/explain-problems.ts';
import { runAdmitted } from '#serve/lifecycle.ts';
import type { EncoderContext } from '../context.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { predict, predictRequest, predictResponse } from '../predict/predict.ts';
import { SERVED } from '../served/index.ts';
import type { PredictBody } from '../served/served-type.ts';
import { isObject } from '#core/json/is-object.ts';

export interface EncoderTool {
  readonly definition: Tool;
  call(args: unknown, signal: AbortSignal): Promise<CallToolResult>;
}

/** The `run_encoder` tool. Its parameters and its result are the request and the response of `/predict`. */
export function createEncoderTool(context: EncoderContext): EncoderTool {
  const { manifest, limits } = context.engine;
  const request = predictRequest(manifest, limits);
  let validate: ValidateFunction | undefined;
  const title = 'Run encoder';
  return {
    definition: {
      name: 'run_encoder',
      title,
      description: SERVED[manifest.modelType].texts.tool,
      inputSchema: jsonSchema(request),
      outputSchema: jsonSchema(predictResponse(manifest)),
      annotations: {
        title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async call(args, signal) {
      check(args, (validate ??= compile(request)));
      return await runAdmitted(context.kernel.lifecycle, async () => {
        const { engine } = context;
        let truncated: readonly number[] = [];
        let stage: ServingEngine['stage'];
        const pieces = await predict(engine, args, async (form, request) => {
          const answer = await form.run({ ...request, signal });
          ({ truncated } = answer);
          ({ stage } = form);
          return answer;
        });
        const facts = {
          ...(truncated.length > 0 ? { truncated_inputs: truncated } : {}),
          ...(stage ? { stage } : {}),
        };
        const text = pieces.map((piece) => Buffer.from(piece).toString()).join('');
        return {
          content: [{ type: 'text', text }],
          structuredContent: parseJsonText(text) as Record<string, unknown>,
          // The contract defines the fields of the result.
          ...(Object.keys(facts).length > 0 ? { _meta: facts } : {}),
        };
      });
    },
  };
}

/**
 * The option `allErrors` is not set, because a large request could have an error in every input,
 * and reporting the first error is enough.
 */
function compile(schema: object): ValidateFunction {
  const ajv = new Ajv({ strict: true, verbose: true, ...TRUSTED_SCHEMAS });
  return ajv.addKeyword(MESSAGE_KEYWORD).addKeyword(DOCUMENTED_KEYWORD).compile(schema);
}

function check(args: unknown, validate: ValidateFunction): asserts args is PredictBody {
  if (validate(args)) return;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw inputError('arguments must be an object.');
  }
  throw inputError(explainProblems(validate.errors ?? []));
}

/**
 * Converts a schema of the HTTP API to plain JSON Schema for MCP clients: without custom keywords,
 * without `$id`, which clients would interpret as a URL, and with OpenAPI's `nullable` as a type.
 * `anyOf` at the top level is removed, because the APIs of AI assistants reject tools with
 * alternatives there.
 */
function jsonSchema(schema: object): Tool['inputSchema'] {
  const revive = (_key: string, value: unknown): unknown => (isObject(value) ? plain(value) : value);
  const { anyOf: _, ...rest } = parseJsonText(JSON.stringify(schema), revive) as Tool['inputSchema'];
  return rest;
}

/** Converts one schema. Returns undefined, which removes the schema, if OpenAPI documents omit it. */
function plain(value: Readonly<Record<string, unknown>>): object | undefined {
  const own = documentedKeywords(value);
  if (own === undefined) return undefined;
  const { nullable, ...schema } = own;
  const entries = Object.entries(schema).filter(([key]) => key !== '$id' && key !== MESSAGE_KEYWORD);
  return { ...Object.fromEntries(entries), ...(nullable === true ? { type: [schema['type'], 'null'] } : {}) };
}
