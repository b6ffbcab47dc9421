import { formWith, LABELLED } from '../../runtime/targets/gateway/evaluation/workflows/workflow-requests.ts';
import type { Answer, Api } from '../shared-services.ts';
import { AS_MASTER } from './config.ts';

export const upload = (
  api: Api,
  text = LABELLED,
  headers: Record<string, string> = AS_MASTER,
  filename?: string,
): Promise<Answer> =>
  api.ask('/api/v1/datasets/', { method: 'POST', body: formWith(text, filename), headers });

/** Creates an experiment on its own dataset; resolves with its ID. */
export async function experimentOf(
  api: Api,
  headers: Record<string, string> = AS_MASTER,
  {
    text,
    filename,
    ...more
  }: { readonly text?: string; readonly filename?: string; task_definition?: object } = {},
): Promise<string> {
  const dataset = (await upload(api, text, headers, filename)).body.id;
  const task_definition = { task: 'text-classification' };
  const body = { name: 'guards', dataset, task_definition, ...more };
  return (await api.post('/api/v1/experiments/', body, headers)).body.id;
}

/** The log events until the job is over. */
export async function followed(api: Api, id: string): Promise<string> {
  return (await api.get(`/api/v1/workflows/${id}/logs?follow=true`, AS_MASTER)).text;
}
