/** Settings with which `export.py` creates a graph. Paths are relative to the package, or to the cache of a vocabulary. */
export interface Export {
  /** Weights saved by transformers or fairseq, or the values in config.json for random weights. */
  readonly weights:
    | { readonly folder: string; readonly settings?: Readonly<Record<string, unknown>> }
    | { readonly fairseq: string }
    | { readonly random: Readonly<Record<string, unknown>>; readonly class?: string };
  readonly task: 'feature-extraction' | 'text-classification' | 'token-classification' | 'fill-mask';
  readonly exporter: 'torchscript' | 'dynamo' | 'optimum';
  readonly inputs: readonly string[];
  readonly tokenizer: Readonly<Record<string, unknown>> & { readonly kind: string; readonly file: string };
}
