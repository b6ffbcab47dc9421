import type { Manifest } from '../../contract/manifest.ts';

/** A row of a table about the changes of the graph; none if nothing was changed. */
export const graphFacts = ({ graphChanges = [] }: Manifest): [string, string][] =>
  graphChanges.length === 0 ? [] : [['Changes', graphChanges.join('; ')]];
