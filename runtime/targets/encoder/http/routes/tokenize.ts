import { readsImages } from '#contract/model-types.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { EncoderContext } from '../../context.ts';
import { type ModelRoutes, unsupportedRoute } from '../model-route.ts';
import { exampleIds } from '../vector-inputs.ts';
import type { Route } from '#serve/http/route.ts';
import { planPrompt } from '../../tasks/plan-prompt.ts';
import { decodeRequest, decodeResponse, tokenizeRequest, tokenizeResponse } from '../../schemas/tokenize.ts';

/** `POST /tokenize` and `POST /decode`: convert texts to token ids and back. */
export function tokenizeRoutes({ engine }: EncoderContext, { route, guard }: ModelRoutes): readonly Route[] {
  const { limits, manifest } = engine;
  if (readsImages(manifest.modelType)) {
    return ['/tokenize', '/decode'].map((path) =>
      unsupportedRoute(
        path,
        `${path} requires a model with a tokenizer, but ${manifest.name} reads images. Use /predict.`,
      ),
    );
  }
  const shared = { method: 'post', guard, tag: 'Tokenizer' } as const;
  return [
    route({
      ...shared,
      path: '/tokenize',
      id: 'tokenize',
      summary: 'Tokenize texts.',
      request: {
        schema: tokenizeRequest(manifest, limits.maxClientBatch),
        examples: { texts: { inputs: ['Anna'] } },
      },
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
      async run(_, { inputs, add_special_tokens, ...wishes }) {
        const { prompt } = await planPrompt(engine, wishes);
        const texts = typeof inputs === 'string' ? [inputs] : inputs;
        const prompted = texts.map((text) => prompt.text + text);
        const tokenized = await engine.tokenize(prompted, add_special_tokens ?? true);
        return tokenized.map((text) => tokensOf(text));
      },
    }),
    route({
      ...shared,
      path: '/decode',
      id: 'decode',
      summary: 'Decode lists of token ids.',
      request: {
        schema: decodeRequest(manifest.tokenizer.vocabularySize, limits.maxClientBatch),
        examples: { ids: { ids: exampleIds(engine) } },
      },
      answer: {
        description: 'One text per list of token ids.',
        schema: decodeResponse,
        examples: { ids: ['Anna'] },
      },
      run: (_, { ids, skip_special_tokens }) =>
        engine.decode(isBatch(ids) ? ids : [ids], skip_special_tokens ?? true),
    }),
  ];
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
