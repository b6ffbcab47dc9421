import type { ModelType } from '../../runtime/contract/model-types.ts';

/** A build configuration after defaults, expansion and resolution: what the rest of the CLI works from. */
export interface BuildConfig {
  /** The file it came from, as the user named it. */
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly modelType: ModelType;
  readonly model: ModelSource;
  /** Expanded, otherwise as written: it is relative to the current directory, which is not known here. */
  readonly outputPath: string | undefined;
  readonly cacheDir: string | undefined;
  readonly transform: TransformSource | undefined;
  readonly validateTransform: boolean;
  readonly build: boolean;
}

export type ModelSource =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 'files';
      readonly modelConfig: string;
      readonly weights: string;
      readonly tokenizer: string;
      readonly tokenizerConfig: string | undefined;
    };

export type TransformSource =
  /** `line` is where the script's first line stands in the YAML file, so that Lua errors can point into it. */
  | { readonly kind: 'inline'; readonly source: string; readonly line: number }
  | { readonly kind: 'file'; readonly path: string };
