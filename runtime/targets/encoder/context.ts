import type { RuntimeInfo } from '#contract/manifest.ts';
import type { Kernel } from '#serve/kernel.ts';
import type { ServingEngine } from './engine/serving.ts';

/** State shared by the transports of a model server. */
export interface EncoderContext {
  readonly kernel: Kernel;
  readonly engine: ServingEngine;
  /** Versions of the components of the executable. When running from source, only `version` is real. */
  readonly runtime: Required<
    Pick<RuntimeInfo, 'version' | 'node' | 'onnxruntime' | 'tokenizers' | 'platform'>
  >;
}
