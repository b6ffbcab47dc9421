import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { runAtOnce } from '#platform/run-yielding.ts';
import { createBodyParser } from '#serve/http/body.ts';
import { fromLiteLlm, isLiteLlmMap } from './from-litellm.ts';
import { MAP_FORMAT, MAP_SCHEMA, type PriceMapFile } from './map-file.ts';

/**
 * Reads a map in the gateway's own form, or in the one that LiteLLM publishes, which has no date: it gets `today`. Throws an
 * InputError that names the first problem.
 */
export function readPriceMap(text: string, shown: string, today: string): PriceMapFile {
  const value = parse(text, shown);
  const map = isLiteLlmMap(value)
    ? { format: MAP_FORMAT, date: today, source: shown, models: fromLiteLlm(value) }
    : value;
  // Another map of LiteLLM can have anything in it, so what was converted is checked as well.
  return check(map, shown);
}

function parse(text: string, shown: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw inputError(`${shown} is not a price map: ${explainJson(text, error)}`, error);
  }
}

function check(value: unknown, shown: string): PriceMapFile {
  try {
    return runAtOnce(createBodyParser({})(Buffer.from(JSON.stringify(value)), MAP_SCHEMA)) as PriceMapFile;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [first = messageOf(error)] = (error.details ?? []).map(({ message }) => message);
    throw inputError(
      `${shown} is not a price map: ${first}. Use a map of the gateway (format ${MAP_FORMAT}) or of LiteLLM.`,
      error,
    );
  }
}
