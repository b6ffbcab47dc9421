import { afterAll } from 'vitest';
import { type GrpcServer, listenGrpc } from '#encoder/grpc/server/listen.ts';
import type { EncoderContext } from '#encoder/context.ts';
import type { ServingEngine } from '#encoder/engine/serving.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { encoderGrpcRoutes } from '#encoder/grpc/routes.ts';
import { connect, type TestClient } from './server/grpc-js.ts';
import { testKernel, type TestKernel } from '#test/helpers/test-kernel.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';

export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Name and .proto file of each model type's service. */
const SERVICES = {
  embedding: ['Embedding', 'encoder/embedding.proto'],
  fill_mask: ['FillMask', 'encoder/fill_mask.proto'],
  sparse_embedding: ['SparseEmbedding', 'encoder/sparse_embedding.proto'],
  sequence_classification: ['SequenceClassification', 'encoder/sequence_classification.proto'],
  zero_shot_classification: ['ZeroShotClassification', 'encoder/zero_shot_classification.proto'],
  question_answering: ['QuestionAnswering', 'encoder/question_answering.proto'],
  token_classification: ['TokenClassification', 'encoder/token_classification.proto'],
  zero_shot_ner: ['ZeroShotNer', 'encoder/zero_shot_ner.proto'],
  sentence_embedding: ['SentenceEmbedding', 'encoder/sentence_embedding.proto'],
  multi_vector: ['MultiVector', 'encoder/multi_vector.proto'],
  image_classification: ['ImageClassification', 'encoder/image_classification.proto'],
  image_embedding: ['ImageEmbedding', 'encoder/image_embedding.proto'],
  image_segmentation: ['ImageSegmentation', 'encoder/image_segmentation.proto'],
  object_detection: ['ObjectDetection', 'encoder/object_detection.proto'],
  image_text_embedding: ['ImageTextEmbedding', 'encoder/image_text_embedding.proto'],
  zero_shot_image_classification: [
    'ZeroShotImageClassification',
    'encoder/zero_shot_image_classification.proto',
  ],
} as const;

export interface ModelServer extends TestClient {
  readonly port: number;
  /** As `/encoder.X`. */
  readonly path: string;
  readonly kernel: TestKernel;
  readonly server: GrpcServer;
}

export async function serveEngine(engine: ServingEngine, kernel: TestKernel): Promise<ModelServer> {
  const runtime = { version: '', node: '', onnxruntime: '', tokenizers: '', platform: '' };
  const context: EncoderContext = { kernel, engine, runtime };
  const server = await listenGrpc({
    routes: await encoderGrpcRoutes(context, { maxMessageBytes: MAX_MESSAGE_BYTES }),
    log: kernel.log,
    metrics: kernel.metrics,
    requestMemory: kernel.requestMemory,
    hostname: 'localhost',
    hostRules: { hostname: 'localhost' },
    port: 0,
    portFlag: '--grpc-port',
    closeTimeout: 500,
  });
  const [service, file] = SERVICES[engine.manifest.modelType];
  const client = connect(file, `encoder.${service}`, server.port);
  return { ...client, port: server.port, path: `/encoder.${service}`, kernel, server };
}

/** Serves fixture models from this process; each is opened once and closed after all tests in the file. */
export function useModelServers(): (model: string) => Promise<ModelServer> {
  const opened = new Map<string, Promise<ModelServer>>();
  const closers: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closers) await close();
  });
  const open = async (model: string): Promise<ModelServer> => {
    const path = builtAssets(model);
    const engine = await openServingEngine(path, { limits: DEFAULT_LIMITS, workers: 1, threads: 1 });
    const served = await serveEngine(engine, testKernel());
    closers.push(async () => {
      served.client.close();
      await served.server.close();
      await engine.close();
    });
    return served;
  };
  return (model) => {
    const server = opened.get(model) ?? open(model);
    opened.set(model, server);
    return server;
  };
}
