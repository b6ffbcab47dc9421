import type { ModelSourceFacts } from '#contract/manifest.ts';
import type { ModelOrigin } from '../packaging/model/model-listing.ts';

/** The source of a model for its manifest. `graph` is the path of its graph in its folder. */
export const sourceOf = (
  graph: string | undefined,
  { repository, revision }: ModelOrigin,
): ModelSourceFacts | undefined =>
  graph === undefined
    ? undefined
    : {
        graph,
        ...(repository === undefined ? {} : { repository }),
        ...(revision === undefined ? {} : { revision }),
      };
