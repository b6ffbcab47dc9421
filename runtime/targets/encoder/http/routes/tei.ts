import { type Context, Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { returnsTextVectors } from '#contract/model-types.ts';
import { withArticle } from '#core/text/with-article.ts';
import { admit } from '#serve/http/admit.ts';
import type { BodyReader } from '#serve/http/body.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { EncoderContext } from '../../context.ts';
import type { SharedRequests } from '../../schemas/tei.ts';
import { embed, embedAll } from '../tei/embed.ts';
import { embedSparse } from '../tei/embed-sparse.ts';
import { teiInfo } from '../tei/info.ts';
import {
  embedAllOperation,
  embedOperation,
  embedSparseOperation,
  infoOperation,
  similarityOperation,
} from '../tei/operations.ts';
import { similarity } from '../tei/similarity.ts';

/** Routes for clients of text-embeddings-inference, next to `/predict`, `/rerank`, `/tokenize` and `/decode`. */
export function teiRoutes(
  context: EncoderContext,
  readBody: BodyReader,
  requests: SharedRequests,
): RouteGroup {
  const { engine, kernel } = context;
  const { name, modelType, tokenOutputs } = engine.manifest;
  const routes = new Hono();
  const info = teiInfo(context);
  routes.get('/info', (c) => c.json(info));
  const operations = [infoOperation(info)];
  const post = (path: string, handler: (c: Context) => Promise<Response>): unknown =>
    routes.post(path, admit(kernel.lifecycle), handler);
  const refuse = (path: string, reason: string): void => {
    routes.post(path, () => {
      throw new AppError('NotFoundError', reason);
    });
  };

  if (modelType === 'sparse_embedding') {
    for (const path of ['/embed', '/embed_all']) {
      refuse(
        path,
        `${path} requires a model with dense vectors, but ${name} is ${withArticle(modelType)} model. Use /embed_sparse.`,
      );
    }
    post('/embed_sparse', async (c) => embedSparse(c, engine, await readBody(c, requests.embedSparse)));
    post('/similarity', async (c) => similarity(c, engine, await readBody(c, requests.similarity)));
    operations.push(embedSparseOperation(requests.embedSparse), similarityOperation(requests.similarity));
    return { routes, operations };
  }
  if (tokenOutputs) {
    post('/embed_sparse', async (c) => embedSparse(c, engine, await readBody(c, requests.embedSparse)));
    operations.push(embedSparseOperation(requests.embedSparse));
  } else {
    refuse(
      '/embed_sparse',
      `/embed_sparse requires a model with sparse vectors, but ${name} is ${withArticle(modelType)} model. Use ${returnsTextVectors(modelType) ? '/embed' : '/predict'}.`,
    );
  }
  if (!returnsTextVectors(modelType)) {
    for (const path of ['/embed', '/embed_all', '/similarity']) {
      refuse(
        path,
        `${path} requires an embedding model, but ${name} is ${withArticle(modelType)} model. Use /predict.`,
      );
    }
    return { routes, operations };
  }
  post('/embed', async (c) => embed(c, engine, await readBody(c, requests.embed)));
  post('/similarity', async (c) => similarity(c, engine, await readBody(c, requests.similarity)));
  operations.push(embedOperation(requests.embed), similarityOperation(requests.similarity));
  if (modelType === 'embedding') {
    post('/embed_all', async (c) => embedAll(c, engine, await readBody(c, requests.embedAll)));
    operations.push(embedAllOperation(requests.embedAll));
  } else {
    refuse(
      '/embed_all',
      `/embed_all requires an embedding model, but ${name} is ${withArticle(modelType)} model, which has one vector per text. Use /embed.`,
    );
  }
  return { routes, operations };
}
