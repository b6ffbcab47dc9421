interface Differences {
  readonly count: number;
  readonly first: string | null;
}

/** Result of `fixtures/scripts/compare_tokenizers.py` for a vocabulary. */
export interface Compared {
  readonly folder: string;
  readonly class: string;
  readonly size: number;
  readonly fast: Differences & { readonly sameFile: boolean };
  /** Undefined in versions of transformers without slow tokenizers. */
  readonly slow: SlowDifferences | null;
}

interface SlowDifferences extends Differences {
  /** Number of lines by the rules that explain their difference, most frequent first. */
  readonly rules: readonly (readonly [string, number])[];
  /** The shortest line for each rule. */
  readonly examples: Readonly<Record<string, string>>;
  readonly unexplained: readonly string[];
}

/** One row per vocabulary. */
export function summary(
  older: readonly Compared[],
  newer: readonly Compared[],
): { header: string[]; rows: string[][] } {
  const header = [
    'vocabulary',
    'class',
    'tokens',
    'slow differs',
    'unexplained',
    'fast differs',
    'fast 5 differs',
  ];
  const rows = older.map(({ folder, class: name, size, fast, slow }) => [
    folder,
    name.replace(/Fast$/, ''),
    String(size),
    slow === null ? '-' : String(slow.count),
    slow === null ? '-' : String(slow.unexplained.length),
    String(fast.count),
    String(newer.find((other) => other.folder === folder)?.fast.count ?? '-'),
  ]);
  return { header, rows };
}

/** The rules for each vocabulary, and the lines that no rule explains. */
export function explained(compared: readonly Compared[]): string[] {
  return compared.flatMap(({ folder, slow }) => [
    ...(slow?.rules ?? []).map(
      ([rules, count]) =>
        `${folder}: ${count} ${rules}, for example ${JSON.stringify(slow?.examples[rules])}`,
    ),
    ...(slow?.unexplained ?? []).map((line) => `${folder}: UNEXPLAINED ${JSON.stringify(line)}`),
  ]);
}
