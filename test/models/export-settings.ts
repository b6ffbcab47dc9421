/** How `export.py` makes a graph. Paths are relative to the package, or to the cache of a vocabulary. */
export interface Export {
  /** Weights that transformers saved, that fairseq saved, or the values of config.json for random ones. */
  readonly weights:
    | { readonly folder: string; readonly settings?: Readonly<Record<string, unknown>> }
    | { readonly fairseq: string }
    | { readonly random: Readonly<Record<string, unknown>>; readonly class?: string };
  readonly task: 'feature-extraction' | 'text-classification' | 'token-classification' | 'fill-mask';
  readonly exporter: 'torchscript' | 'dynamo' | 'optimum';
  readonly inputs: readonly string[];
  readonly tokenizer: Readonly<Record<string, unknown>> & { readonly kind: string; readonly file: string };
}
