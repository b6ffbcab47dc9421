import { Hono } from 'hono';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { admit } from '#serve/lifecycle.ts';
import type { BodyReader } from '#serve/http/body.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { EncoderContext } from '../../context.ts';
import { exampleIds } from '../vector-inputs.ts';
import { planVector } from '#core/model/vector-plan.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import { decodeRequest, decodeResponse, tokenizeRequest, tokenizeResponse } from '../../schemas/tokenize.ts';

/** `POST /tokenize` and `POST /decode`: convert texts to token ids and back. */
export function tokenizeRoutes({ engine, kernel }: EncoderContext, readBody: BodyReader): RouteGroup {
  const { limits, manifest } = engine;
  const toTokens = tokenizeRequest(manifest, limits.maxClientBatch);
  const toTexts = decodeRequest(manifest.tokenizer.vocabularySize, limits.maxClientBatch);
  const routes = new Hono();

  routes.post('/tokenize', admit(kernel.lifecycle), async (c) => {
    const { inputs, add_special_tokens, prompt_name } = await readBody(c, toTokens);
    const { prompt } = planVector(manifest, { promptName: prompt_name });
    const texts = typeof inputs === 'string' ? [inputs] : inputs;
    const prompted = texts.map((text) => prompt + text);
    const tokenized = await engine.tokenize(prompted, add_special_tokens ?? true);
    return c.json(tokenized.map((text) => tokensOf(text)));
  });
  routes.post('/decode', admit(kernel.lifecycle), async (c) => {
    const { ids, skip_special_tokens } = await readBody(c, toTexts);
    return c.json(await engine.decode(isBatch(ids) ? ids : [ids], skip_special_tokens ?? true));
  });

  return {
    routes,
    operations: [
      { ...TOKENIZE, request: { schema: toTokens, examples: TOKENIZE_EXAMPLES } },
      { ...DECODE, request: { schema: toTexts, examples: { ids: { ids: exampleIds(engine) } } } },
    ],
  };
}

const isBatch = (ids: number[] | number[][]): ids is number[][] => Array.isArray(ids[0]);

function tokensOf({ ids, details }: TokenizedText) {
  if (!details) throw new Error('tokenized without details');
  const { tokens, special, offsets } = details;
  return Array.from(ids, (id, at) => {
    const isSpecial = special[at] === 1;
    return {
      id,
      text: tokens[at] ?? '',
      special: isSpecial,
      start: isSpecial ? null : (offsets[at * 2] ?? 0),
      end: isSpecial ? null : (offsets[at * 2 + 1] ?? 0),
    };
  });
}

const COMMON = { method: 'post', tag: 'Tokenizer', errors: WORK_ERRORS } as const;

const TOKENIZE_EXAMPLES = { texts: { inputs: ['Anna'] } };
const TOKENIZE: Omit<Operation, 'request'> = {
  ...COMMON,
  path: '/tokenize',
  id: 'tokenize',
  summary: 'Tokenize texts.',
  answer: {
    description: 'One list of tokens per text.',
    schema: tokenizeResponse,
    examples: {
      texts: [
        [
          { id: 2, text: '[CLS]', special: true, start: null, end: null },
          { id: 5075, text: 'Anna', special: false, start: 0, end: 4 },
          { id: 3, text: '[SEP]', special: true, start: null, end: null },
        ],
      ],
    },
  },
};

const DECODE: Omit<Operation, 'request'> = {
  ...COMMON,
  path: '/decode',
  id: 'decode',
  summary: 'Decode lists of token ids.',
  answer: {
    description: 'One text per list of token ids.',
    schema: decodeResponse,
    examples: { ids: ['Anna'] },
  },
};
