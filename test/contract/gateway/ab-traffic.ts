import { startModels } from '../../runtime/targets/gateway/requests/shadow/models-by-name.ts';
import type { Api } from '../shared-services.ts';
import { chatWith } from './chat.ts';
import { asKey, PROVIDER_KEY } from './config.ts';

/** A test in which half of an application's end users get the candidate, and are counted after two seconds. */
export const AB = {
  model: 'openai:candidate',
  share: 0.5,
  by: 'end_user',
  metrics: ['success'],
  window: '1s',
};

/** Configuration with the models, and an alias in the file that has a test. The candidate can be made to fail. */
export async function startTested(): Promise<{
  readonly config: object;
  readonly fail: () => void;
  readonly recover: () => void;
}> {
  const { behaviors, url } = await startModels();
  behaviors.set('current', () => 'the current response');
  const recover = () => void behaviors.set('candidate', () => 'the response of the candidate');
  recover();
  return {
    config: {
      providers: { openai: { api_base: url, api_key: PROVIDER_KEY } },
      aliases: { fixed: { targets: ['openai:current'], ab: AB }, plain: 'openai:current' },
    },
    recover,
    fail: () => void behaviors.set('candidate', () => 400),
  };
}

/** Sends a request of an end user. Returns the variant and the text. */
export async function askAs(
  api: Api,
  alias: string,
  key: string,
  person: string,
): Promise<readonly [string | null, string]> {
  const body = chatWith(alias, { safety_identifier: person });
  const answer = await api.post('/v1/chat/completions', body, asKey(key));
  if (answer.status !== 200) throw new Error(answer.text);
  return [answer.headers.get('x-gateway-variant'), answer.body.choices[0].message.content as string];
}

export const PEOPLE: readonly string[] = Array.from({ length: 60 }, (_, at) => `person-${at}`);
