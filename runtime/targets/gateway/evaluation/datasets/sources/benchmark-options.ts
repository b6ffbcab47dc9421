export interface BenchmarkOptions {
  /** Address of the package index. Default: https://pypi.org/simple */
  readonly indexUrl?: string | undefined;
}
