import type { Context } from 'hono';
import type { Artifacts } from '../../evaluation/artifacts/artifacts.ts';
import type { WorkflowDetails } from '../../evaluation/workflows/workflow.ts';
import type { AbsoluteUrl } from '../http/parts.ts';
import { workflowDetailsView } from './view.ts';

/** Returns the signed URL of a workflow's results. */
export type ResultsAddress = (c: Context, workflow: Pick<WorkflowDetails, 'id'>) => Promise<string>;

export const createResultsAddress =
  (artifacts: Pick<Artifacts, 'address'>, absoluteUrl: AbsoluteUrl): ResultsAddress =>
  async (c, { id }) =>
    absoluteUrl(c, await artifacts.address(`${id}.json`));

/** Creates views of workflows, with the URLs of their results. */
export const createWorkflowViews =
  (resultsAddress: ResultsAddress) =>
  async (
    c: Context,
    workflows: readonly WorkflowDetails[],
  ): Promise<readonly ReturnType<typeof workflowDetailsView>[]> =>
    await Promise.all(
      workflows.map(async (workflow) =>
        workflowDetailsView(
          workflow,
          workflow.status === 'succeeded' ? await resultsAddress(c, workflow) : null,
        ),
      ),
    );
