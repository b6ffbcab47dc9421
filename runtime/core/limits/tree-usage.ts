/** A running process as the system reports it. */
export interface ProcessSample {
  readonly pid: number;
  readonly parent: number;
  /** Memory in use, in bytes. Memory that several processes share is in each of them. */
  readonly memory: number;
  /** Processor time since the start, in seconds. */
  readonly seconds: number;
}

/** What a process and everything that it has started use. */
export interface TreeUsage {
  readonly processes: number;
  readonly memory: number;
  readonly seconds: number;
}

/** Adds up the usage of each process and its descendants. Processes that do not run are omitted. */
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
      // A set returns members that are added while it is read.
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
