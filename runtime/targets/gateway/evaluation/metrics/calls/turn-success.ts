import { metricResult, type MetricMaker } from '../metric.ts';

export interface TurnOutcome {
  /** Position in the conversation, starting at 1. */
  readonly turn: number;
  readonly isMet: boolean;
}

interface Saved {
  readonly rows: number;
  readonly sum: number;
  readonly byTurn: Readonly<Record<string, readonly [number, number]>>;
}

/** The mean over conversations of the share of successful turns, with a table by position in the conversation. */
export const turnSuccess: MetricMaker<readonly TurnOutcome[]> = (_options, json) => {
  const saved = json as Saved | undefined;
  let [rows, sum] = [saved?.rows ?? 0, saved?.sum ?? 0];
  const byTurn = new Map(Object.entries(saved?.byTurn ?? {}));
  return {
    add(outcomes) {
      for (const { turn, isMet } of outcomes) {
        const [count, met] = byTurn.get(String(turn)) ?? [0, 0];
        byTurn.set(String(turn), [count + 1, met + (isMet ? 1 : 0)]);
      }
      const share = outcomes.filter(({ isMet }) => isMet).length / outcomes.length;
      rows += 1;
      sum += share;
      return { turn_success: share };
    },
    result() {
      const table = Array.from(byTurn, ([turn, [count, met]]) => ({
        turn: Number(turn),
        rows: count,
        success: met / count,
      })).toSorted((one, other) => one.turn - other.turn);
      return metricResult(
        { turn_success: rows === 0 ? 'No row has this score.' : sum / rows },
        table.length === 0 ? null : { by_turn: table },
      );
    },
    save: () => ({ rows, sum, byTurn: Object.fromEntries(byTurn) }),
  };
};
