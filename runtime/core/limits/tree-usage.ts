/** A running process, as reported by the operating system. */
export interface ProcessSample {
  readonly pid: number;
  readonly parent: number;
  /** Memory in use, in bytes. Shared memory is counted in each process. */
  readonly memory: number;
  /** CPU time since the start, in seconds. */
  readonly seconds: number;
}

/** Resource usage of a process and all its descendants. */
export interface TreeUsage {
  readonly processes: number;
  readonly memory: number;
  readonly seconds: number;
}

/** Adds up the usage of each process and its descendants. Processes that are not running are skipped. */
export function treeUsage(
  rows: readonly ProcessSample[],
  heads: readonly number[],
): ReadonlyMap<number, TreeUsage> {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const children = Map.groupBy(rows, ({ parent }) => parent);
  return new Map(
    heads.flatMap((head): [number, TreeUsage][] => {
      const found = byPid.get(head);
      if (!found) return [];
      const seen = new Set([found]);
      // Iterating over a set includes members that are added during the iteration.
      for (const { pid } of seen) for (const child of children.get(pid) ?? []) seen.add(child);
      const all = [...seen];
      const sum = (value: (row: ProcessSample) => number): number =>
        all.reduce((total, row) => total + value(row), 0);
      return [
        [
          head,
          {
            processes: all.length,
            memory: sum(({ memory }) => memory),
            seconds: sum(({ seconds }) => seconds),
          },
        ],
      ];
    }),
  );
}
