import type { Context } from 'hono';
import type { Artifacts } from '../../lab/artifacts/artifacts.ts';
import type { WorkflowDetails } from '../../lab/workflows/workflow.ts';
import { absoluteUrl } from '../http/absolute-url.ts';
import { workflowDetailsView } from './view.ts';

/** Returns the signed URL of a workflow's results. */
export const resultsAddress = async (
  c: Context,
  artifacts: Pick<Artifacts, 'address'>,
  { id }: Pick<WorkflowDetails, 'id'>,
): Promise<string> => absoluteUrl(c, await artifacts.address(`${id}.json`));

/** Creates views of workflows, with the URLs of their results. */
export const createWorkflowViews =
  (artifacts: Pick<Artifacts, 'address'>) =>
  async (
    c: Context,
    workflows: readonly WorkflowDetails[],
  ): Promise<readonly ReturnType<typeof workflowDetailsView>[]> =>
    await Promise.all(
      workflows.map(async (workflow) =>
        workflowDetailsView(
          workflow,
          workflow.status === 'succeeded' ? await resultsAddress(c, artifacts, workflow) : null,
        ),
      ),
    );
