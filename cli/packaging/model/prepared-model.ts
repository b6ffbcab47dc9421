import type { Manifest } from '#contract/manifest.ts';
import type { ModelFiles } from './locate-files.ts';
import type { PreparedGraph } from './prepared-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';

/** A prepared model: everything that is written in addition to the base runtime. */
export interface PreparedModel {
  readonly files: ModelFiles;
  readonly tokenizer: PreparedTokenizer;
  readonly graph: PreparedGraph;
  /** Lua source of the transform, if the model has one. */
  readonly transform: string | undefined;
  /** Weights of the modules that follow pooling, if there are any. */
  readonly layers: Uint8Array | undefined;
  /** Texts of the licenses and notices that are next to the model. */
  readonly licenseText: string | undefined;
  /** Text of the model card. */
  readonly cardText: string | undefined;
  readonly manifest: Manifest;
}
