import { Hono } from 'hono';
import { Type } from 'typebox';
import type { EncoderContext } from '../../context.ts';
import { modelFacts } from '../model-facts.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import { modelMetadata } from '../../schemas/model.ts';

/** `GET /health` and `GET /model`. */
export function modelRoutes({ engine }: EncoderContext): RouteGroup {
  const metadata = modelFacts(engine.manifest);
  const routes = new Hono();
  routes.get('/health', (c) => c.json('OK!'));
  routes.get('/model', (c) => c.json(metadata));

  return {
    routes,
    operations: [
      {
        method: 'get',
        path: '/health',
        id: 'health',
        tag: 'Operations',
        summary: 'Health check.',
        answer: {
          description: 'The server is healthy.',
          schema: Type.String(),
          examples: { healthy: 'OK!' },
        },
        errors: [],
        open: true,
      },
      {
        method: 'get',
        path: '/model',
        id: 'model',
        tag: 'Model',
        summary: 'Describe the model.',
        answer: { description: 'The model.', schema: modelMetadata, examples: { model: metadata } },
        errors: [],
      },
    ],
  };
}
