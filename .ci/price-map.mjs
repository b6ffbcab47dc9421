// The name ends in .txt so that the formatter leaves its lines alone.
// Makes the price map that ships with the gateway from the one in a wheel of LiteLLM:
//   pip download litellm --no-deps && unzip litellm-*.whl litellm/model_prices_and_context_window_backup.json
//   node .ci/setup.mjs node .ci/price-map.mjs litellm/model_prices_and_context_window_backup.json <version> <date>
import { readFileSync, writeFileSync } from 'node:fs';
import { readPriceMap } from '../runtime/targets/gateway/accounts/price-map/read-map.ts';

const [file, version, date] = process.argv.slice(2);
if (date === undefined) throw new Error('Usage: price-map.mjs <file> <version of LiteLLM> <date>');
const { models, ...head } = readPriceMap(readFileSync(file, 'utf8'), `litellm ${version} (PyPI)`, date);

const sorted = (object) => Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1));
// One line per model, so that changes to the map are readable.
const lists = sorted(models).map(([provider, list]) => {
  const lines = sorted(list).map(([name, model]) => `${JSON.stringify(name)}:${JSON.stringify(model)}`);
  return `${JSON.stringify(provider)}:{\n${lines.join(',\n')}\n}`;
});
const start = JSON.stringify(head).slice(0, -1);
writeFileSync(
  new URL('../runtime/targets/gateway/accounts/price-map/model-prices.json.txt', import.meta.url),
  `${start},"models":{\n${lists.join(',\n')}\n}}\n`,
);
