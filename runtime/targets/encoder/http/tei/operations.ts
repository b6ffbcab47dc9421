import type { TSchema } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import {
  embedAllResponse,
  embedResponse,
  embedSparseResponse,
  infoResponse,
  similarityResponse,
} from '../../schemas/tei.ts';
import { ANSWER_HEADERS } from '../run-model.ts';

const TAG = 'text-embeddings-inference';
const POST = { method: 'post', tag: TAG, errors: WORK_ERRORS } as const;
const INPUTS = { texts: { inputs: ['Anna lives in Berlin.'] } };

export const embedOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/embed',
  id: 'embed',
  summary: 'Compute one vector per input, L2-normalized by default.',
  request: { schema, examples: INPUTS },
  answer: {
    description: 'One vector per input, in input order.',
    schema: embedResponse,
    examples: { texts: [[0.6, -0.8]] },
    headers: ANSWER_HEADERS,
  },
});

export const embedAllOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/embed_all',
  id: 'embedAll',
  summary: 'Compute one vector per token of each input.',
  request: { schema, examples: INPUTS },
  answer: {
    description: 'The token vectors of each input, as the model returns them.',
    schema: embedAllResponse,
    examples: { texts: [[[0.6, -0.8]]] },
    headers: ANSWER_HEADERS,
  },
});

export const embedSparseOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/embed_sparse',
  id: 'embedSparse',
  summary: 'Compute one sparse vector per input.',
  request: { schema, examples: INPUTS },
  answer: {
    description: 'One sparse vector per input, in input order.',
    schema: embedSparseResponse,
    examples: SPARSE_ANSWER,
    headers: ANSWER_HEADERS,
  },
});

const SPARSE_ANSWER = {
  texts: [
    [
      { index: 2013, value: 0.52 },
      { index: 5075, value: 1.61 },
    ],
  ],
};

export const similarityOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/similarity',
  id: 'similarity',
  summary: 'Compare sentences with a source sentence.',
  request: {
    schema,
    examples: {
      sentences: {
        inputs: { source_sentence: 'Where does Anna live?', sentences: ['Anna lives in Berlin.'] },
      },
    },
  },
  answer: {
    description:
      'One similarity per sentence, greater for more similar ones: the cosine, or the function of the model (`similarity_fn_name` of `GET /model`).',
    schema: similarityResponse,
    examples: { sentences: [0.83] },
    headers: ANSWER_HEADERS,
  },
});

export const infoOperation = (info: object): Operation => ({
  method: 'get',
  path: '/info',
  id: 'info',
  tag: TAG,
  summary: 'Describe the model and the limits of the server.',
  answer: { description: 'The model and the limits.', schema: infoResponse, examples: { model: info } },
  errors: [],
});
