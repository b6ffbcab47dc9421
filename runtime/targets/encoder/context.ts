import type { RuntimeInfo } from '../../contract/manifest.ts';
import type { Kernel } from '../../serve/kernel.ts';
import type { ServingEngine } from './engine/api.ts';

/** What the transports of a model server share. */
export interface EncoderContext {
  readonly kernel: Kernel;
  readonly engine: ServingEngine;
  /** Versions of what the executable is made of; from source only `version` is real. */
  readonly runtime: Required<
    Pick<RuntimeInfo, 'version' | 'node' | 'onnxruntime' | 'tokenizers' | 'platform'>
  >;
}
