import { configError } from '#contract/errors.ts';
import type { ComparedModel } from '../assertions.ts';
import type { GatewayClient } from '../gateway-client.ts';

/** A workflow in the API's format. */
interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly provider: string;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly error: string | null;
  readonly tags: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly jobs: readonly { readonly id: string; readonly type: string }[];
}

export interface ExportedModel {
  readonly workflow: Workflow;
  /** The workflow's numbers in the comparison. */
  readonly compared: ComparedModel | undefined;
}

/** Everything that is exported about an experiment, except for its rows. */
export interface Exported {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly dataset: string;
  readonly task: Readonly<Record<string, unknown>>;
  readonly models: readonly ExportedModel[];
  /** The comparison as Markdown. */
  readonly report: string;
}

/** Reads an experiment. Throws a ConfigError if it is still running, because its numbers would change. */
export async function readExported(client: GatewayClient, path: string): Promise<Exported> {
  const experiment = await client.json('GET', path);
  const workflows = experiment['workflows'] as readonly Workflow[];
  const running = workflows.find(({ status }) => status === 'created' || status === 'running');
  if (running)
    throw configError(
      `${running.name} is ${running.status}. Export the experiment after all its models have finished.`,
    );
  const comparison = await client.json('GET', `${path}/compare?format=json&disagreements=0`);
  const compared = comparison['workflows'] as readonly (ComparedModel & { readonly id: string })[];
  return {
    id: String(experiment['id']),
    name: String(experiment['name']),
    description: String(experiment['description']),
    tags: experiment['tags'] as readonly string[],
    dataset: String(experiment['dataset']),
    task: experiment['task_definition'] as Exported['task'],
    models: workflows.map((workflow) => ({
      workflow,
      compared: compared.find(({ id }) => id === workflow.id),
    })),
    report: await client.text(`${path}/compare?format=markdown`),
  };
}
