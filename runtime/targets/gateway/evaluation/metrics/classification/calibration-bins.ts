/** Sums per confidence bin. */
export interface CalibrationBins {
  readonly add: (confidence: number, isRight: boolean) => void;
  /** Mean difference between confidence and accuracy of the bins, weighted by their number of rows. */
  readonly error: () => number;
  readonly table: () => CalibrationBin[];
  readonly save: () => SavedBins;
}
export type SavedBins = readonly (readonly [rows: number, confidence: number, right: number])[];

type CalibrationBin = {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly mean_confidence: number | null;
  readonly accuracy: number | null;
};

/**
 * Fifteen bins of equal width that include their lower edge and exclude their upper edge, and one more for a confidence of
 * exactly 1, like torchmetrics (`multiclass_calibration_error`, `norm="l1"`).
 */
export function calibrationBins(saved?: SavedBins): CalibrationBins {
  const bins = Array.from({ length: BINS + 1 }, (_, at) => {
    const [rows = 0, confidence = 0, right = 0] = saved?.[at] ?? [];
    return { rows, confidence, right };
  });
  return {
    add: (confidence, isRight) => {
      const bin = bins[binOf(confidence)];
      if (bin === undefined) return;
      bin.rows += 1;
      bin.confidence += confidence;
      bin.right += isRight ? 1 : 0;
    },
    error: () => {
      const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
      return bins.reduce((sum, bin) => sum + Math.abs(bin.right - bin.confidence), 0) / rows;
    },
    table: () =>
      bins.map(({ rows, confidence, right }, at) => ({
        from: edge(at),
        to: edge(Math.min(at + 1, BINS)),
        rows,
        mean_confidence: rows === 0 ? null : confidence / rows,
        accuracy: rows === 0 ? null : right / rows,
      })),
    save: () => bins.map(({ rows, confidence, right }) => [rows, confidence, right]),
  };
}

const BINS = 15;
const edge = (at: number): number => at / BINS;

function binOf(confidence: number): number {
  for (let at = BINS; at > 0; at--) if (confidence >= edge(at)) return at;
  return 0;
}
