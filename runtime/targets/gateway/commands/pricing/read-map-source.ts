import { configError, messageOf } from '#contract/errors.ts';
import { readInput } from '#serve/cli/read-input.ts';

/** The map of LiteLLM has a few megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Reads a file, standard input (-) or an http(s) address. */
export async function readMapSource(from: string): Promise<string> {
  return /^https?:\/\//i.test(from) ? await download(from) : await readInput(from, 'the price map');
}

async function download(from: string): Promise<string> {
  const url = parseUrl(from);
  const { createJsonClient } = await import('#serve/client/json-client.ts');
  const client = createJsonClient(url.origin, {
    connectMs: TIMEOUT_MS,
    answerMs: TIMEOUT_MS,
    maxResponseBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
  });
  try {
    const { status, text } = await client.ask({ method: 'GET', path: url.pathname + url.search });
    if (status === 200) return text;
    throw configError(`Cannot read the price map: ${from} returned status ${status}. Check the address.`);
  } catch (error) {
    throw configError(
      `Cannot read the price map from ${from}: ${messageOf(error)}. Check the address, or pass a file.`,
      error,
    );
  } finally {
    await client.close();
  }
}

function parseUrl(from: string): URL {
  try {
    return new URL(from);
  } catch (error) {
    throw configError(
      `${from} is not a valid address. Pass an address such as https://host/prices.json.`,
      error,
    );
  }
}
