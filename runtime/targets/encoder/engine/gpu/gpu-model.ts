import type { GpuPrecision } from '#contract/devices.ts';
import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { gpuModelProblem } from '#core/model/device-support.ts';
import { isHost, PLATFORMS } from '#contract/platforms.ts';
import { halfGraph } from '#core/onnx/half-graph.ts';
import { gpuGraph } from '#core/onnx/gpu-graph.ts';
import { gpuName } from '#platform/gpu-devices.ts';
import type { GraphBody } from '../../model.ts';
import type { PooledModel } from '../pool-member.ts';

/** Why a model cannot run on a GPU of this platform; undefined if it can. */
export function gpuProblem(
  manifest: Manifest,
  host: { readonly platform: string; readonly arch: string } = process,
): string | undefined {
  const problem = gpuModelProblem(manifest);
  if (problem !== undefined) return problem;
  if (!PLATFORMS.some((platform) => isHost(platform, host) && platform.hasWebGpu))
    return `executables do not support GPUs on ${host.platform} ${host.arch}`;
  return undefined;
}

/** The model as a thread on the GPU opens it. The weights in the file are the same. */
export function gpuModel(model: PooledModel, precision: GpuPrecision): PooledModel {
  const { body } = model;
  if (body.kind === 'table') throw configError('a static model has no graph for GPUs');
  const { graph, imageGraph } = body;
  const rewrite = (bytes: Uint8Array): Uint8Array =>
    precision === 'float16' ? halfGraph(gpuGraph(bytes)) : gpuGraph(bytes);
  const rewritten: GraphBody = {
    ...body,
    graph: rewrite(graph),
    imageGraph: imageGraph && rewrite(imageGraph),
  };
  return { ...model, body: rewritten, device: 'gpu' };
}

/** The name of the GPU, for people. */
export const nameOf = ({ cuda }: Pick<PooledModel, 'cuda'>): string =>
  cuda ? `${gpuName()} (CUDA)` : gpuName();
