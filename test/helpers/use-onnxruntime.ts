import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll } from 'vitest';
import { type OnnxTools, withOnnxRuntime } from '#cli/adapters/onnxruntime.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

/** One process that runs all graphs of a test file, because starting it takes longer than a run. */
export function useOnnxRuntime(): () => OnnxTools {
  let runtime: OnnxTools | undefined;
  let end = (): void => {};
  let ended: Promise<void> | undefined;
  beforeAll(async () => {
    await new Promise<void>((isReady) => {
      ended = withOnnxRuntime(async (opened) => {
        runtime = opened;
        isReady();
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      });
    });
  });
  afterAll(async () => {
    end();
    await ended;
  });
  return () => {
    if (!runtime) throw new Error('not started');
    return runtime;
  };
}

/** The inputs that a graph uses. */
export const inputNames = (graph: string): string[] =>
  (fromBinary(ModelProtoSchema, readFileSync(graph)).graph?.input ?? []).flatMap(({ name }) => name ?? []);
