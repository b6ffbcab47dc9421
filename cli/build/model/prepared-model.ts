import type { Manifest } from '../../../runtime/contract/manifest.ts';
import type { ModelFiles } from './locate-files.ts';
import type { PreparedGraph } from './prepare-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';

/** A model made ready and described: all that is written besides the base runtime. */
export interface PreparedModel {
  readonly files: ModelFiles;
  readonly tokenizer: PreparedTokenizer;
  readonly graph: PreparedGraph;
  /** Lua, if the model has a transform. */
  readonly transform: string | undefined;
  readonly manifest: Manifest;
}
