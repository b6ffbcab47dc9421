import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import { countOutcomes, type FuzzTargets, type Outcomes } from './outcomes.ts';

/** Uses the HTTP API with the addresses of servers: `/api/v1/servers/{name}`. */
export async function fuzzRest(targets: FuzzTargets): Promise<Outcomes> {
  const counts = await countOutcomes(targets, {
    async call(answer) {
      const response = await fetch(`${targets.results}/tools/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ answer }),
      });
      const text = await response.text();
      if (response.ok) return { ending: 'returned' };
      const { errors } = parseJsonText(text) as { errors?: { message: string }[] };
      const hasReason = response.status === 502 && (errors?.[0]?.message.length ?? 0) > 0;
      return { ending: hasReason ? 'errors' : 'failed', why: `${response.status} ${text}` };
    },
    async listsGood(url) {
      const { tools } = (await (await fetch(`${url}/tools`)).json()) as { tools?: { name: string }[] };
      return tools?.some(({ name }) => name === 'good') === true;
    },
  });
  return { client: 'HTTP API', version: '', target: 'manager', ...counts };
}
