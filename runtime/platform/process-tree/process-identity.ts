/** A process, identified by its start time as well: the system uses the number of an ended process again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The ID of its process group. */
  readonly group: number;
  /** On Linux the clock ticks since the start of the system, elsewhere seconds since 1970. */
  readonly startedAt: string;
}
