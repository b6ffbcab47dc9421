import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { isHost, PLATFORMS } from '#contract/platforms.ts';
import { gpuGraph } from '#core/onnx/gpu-graph.ts';
import type { GraphBody, ModelBody } from '../../model.ts';
import type { PooledModel } from '../pool-member.ts';

/** Why a model cannot run on a GPU of this platform; undefined if it can. */
export function gpuProblem(
  { quantization, name }: Pick<Manifest, 'quantization' | 'name'>,
  body: ModelBody,
  host: { readonly platform: string; readonly arch: string } = process,
): string | undefined {
  if (body.kind === 'table') return `${name} is a static model, which runs faster on the CPU`;
  if (quantization?.form === 'int8')
    return `${name} is an int8 model, which runs on the CPU; build it without \`quantize\` for GPUs`;
  if (!PLATFORMS.some((platform) => isHost(platform, host) && platform.hasWebGpu))
    return `executables do not support GPUs on ${host.platform} ${host.arch}`;
  return undefined;
}

/** The model as a thread on the GPU opens it. The weights are the same. */
export function gpuModel(model: PooledModel): PooledModel {
  const { body } = model;
  if (body.kind === 'table') throw configError('a static model has no graph for GPUs');
  const { graph, imageGraph } = body;
  const rewritten: GraphBody = {
    ...body,
    graph: gpuGraph(graph),
    imageGraph: imageGraph && gpuGraph(imageGraph),
  };
  return { ...model, body: rewritten, device: 'gpu' };
}
