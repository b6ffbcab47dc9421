import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIXTURES } from '#test/helpers/paths.ts';
import { schemaBodies } from '#test/helpers/schema-bodies.ts';
import { openApp, type OpenApp } from './open-app.ts';
import { EXAMPLE_IMAGE } from '#encoder/schemas/images.ts';

type Schema = Parameters<ReturnType<typeof schemaBodies>['bodiesOf']>[0];
interface Media {
  readonly 'application/json': {
    readonly schema: Schema;
    readonly examples: Record<string, { value: unknown }>;
  };
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: { readonly '200': { readonly content: Media } };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Request fields for any model, with a value that some model accepts. */
const MEMBERS: Readonly<Record<string, unknown>> = {
  aggregation: 'simple',
  dimensions: 2,
  function_to_apply: 'softmax',
  normalize: true,
  nonsense: true,
  prompt_name: 'passage',
  texts: ['a'],
  top_k: 1,
  top_n: 1,
};
const MAX_INPUTS = 5;
/** The number of inputs of a body that can have several lists of them. */
const inputsIn = ({ texts, images, inputs }: Readonly<Record<string, unknown>>): number =>
  [texts, images, inputs].flatMap((list) => (Array.isArray(list) ? list.map(() => 1) : [])).length;

/** The paths of our own API; compatible API paths ignore unknown fields. */
const CLOSED = new Set(['/predict', '/tokenize', '/decode']);

describe.each(readdirSync(join(FIXTURES, 'models')))('the %s document', (model) => {
  let open: OpenApp;
  let document: Document;
  beforeAll(async () => {
    open = await openApp(model, { limits: { maxClientBatch: MAX_INPUTS } });
    document = (await (await open.app.request('/openapi.json')).json()) as Document;
  });
  afterAll(() => open.close());

  const operations = (): [string, Operation, Media['application/json']][] =>
    Object.entries(document.paths).flatMap(([path, { post }]) =>
      post?.requestBody ? [[path, post, post.requestBody.content['application/json']]] : [],
    );
  const bodies = () => {
    const examples = document.paths['/decode']?.['post']?.requestBody?.content['application/json'].examples;
    const example = examples?.['ids']?.value as { ids: number[] } | undefined;
    const { mask, images } = open.engine.manifest;
    // A mask token is a text with one mask and one token. A text about a label must not be too long.
    const text = mask?.token ?? (images ? 'a cat' : 'Anna lives in Berlin.');
    return schemaBodies(document, { text, image: EXAMPLE_IMAGE, ids: example?.ids ?? [] });
  };

  test('every route that runs the model reads the header Priority, and no other route does', async () => {
    for (const [path, { parameters = [] }, { examples }] of operations()) {
      const [example] = Object.values(examples);
      const sent = (priority: string) =>
        open.post(path, example?.value, {
          headers: { 'Content-Type': 'application/json', Priority: priority },
        });
      const accepted = await sent('bulk');
      const runsModel = accepted.headers.has('X-Compute-Tokens');
      const refused = await sent('soon');
      const text = await refused.text();
      const isRefused = text.includes('The header Priority must be interactive or bulk, not ');
      const documented = parameters.find((one) => one.name === 'Priority' && one.in === 'header');
      expect([path, accepted.status, documented?.schema, isRefused, refused.status >= 400]).toEqual([
        path,
        200,
        runsModel ? { type: 'string', enum: ['interactive', 'bulk'] } : undefined,
        runsModel,
        runsModel,
      ]);
    }
  });

  test('every generated body and every example is accepted, and the response matches the schema', async () => {
    const ajv = new Ajv({ strict: false, schemas: { api: document } });
    for (const [path, { responses }, { schema, examples }] of operations()) {
      const { bodiesOf, objectsOf } = bodies();
      const made = objectsOf(schema)
        .flatMap((one) => bodiesOf(one))
        .filter((body) => path !== '/v2/embed' || inputsIn(body) <= MAX_INPUTS);
      expect(made.length).toBeGreaterThan(3);
      const answer = JSON.stringify(responses['200'].content['application/json'].schema);
      const validate = ajv.compile(JSON.parse(answer.replaceAll('"#/', '"api#/')) as object);
      for (const body of [...made, ...Object.values(examples).map(({ value }) => value)]) {
        const response = await open.post(path, body);
        const text = await response.text();
        expect([path, body, response.status, response.status === 200 ? '' : text]).toEqual([
          path,
          body,
          200,
          '',
        ]);
        expect([path, body, validate(JSON.parse(text)) || validate.errors]).toEqual([path, body, true]);
      }
    }
  });

  test('an unknown field is rejected, or ignored on compatible API paths', async () => {
    for (const [path, , { schema }] of operations()) {
      const { bodiesOf, objectsOf } = bodies();
      for (const own of objectsOf(schema)) {
        const [body] = bodiesOf(own);
        const unknown = Object.entries(MEMBERS).filter(
          ([name]) => !Object.hasOwn(own.properties ?? {}, name),
        );
        for (const [name, value] of unknown) {
          const refused = CLOSED.has(path) || (name === 'prompt_name' && returnsVectors(path, own, model));
          const [plain, other] = await Promise.all([
            open.post(path, body),
            open.post(path, { ...body, [name]: value }),
          ]);
          expect([path, name, other.status]).toEqual([path, name, refused ? 422 : 200]);
          const [expected, found] = await Promise.all([plain.text(), other.text()]);
          expect(refused || withoutId(found) === withoutId(expected), `${path} ${name} ${found}`).toBe(true);
        }
      }
    }
  });

  test('more inputs than it allows are rejected', async () => {
    const { inputs } = document.components.schemas['PredictRequest']?.properties ?? {};
    expect(inputs?.maxItems).toBe(5);
    const body = { inputs: Array.from({ length: 6 }, () => 'a'), normalize: true };
    expect((await open.post('/predict', body)).status).toBe(422);
  });
});

/** Whether a request can have a prompt. An unknown prompt is rejected, also on compatible API paths. */
const returnsVectors = (path: string, { properties = {} }: Schema, model: string): boolean =>
  path.startsWith('/embed_') ||
  'normalize' in properties ||
  (['splade', 'sparse-queries'].includes(model) && path === '/' && 'truncate' in properties);

/** Each response of a rerank route has a unique ID. */
const withoutId = (text: string): string => text.replace(/"id":"[^"]*"/, '');
