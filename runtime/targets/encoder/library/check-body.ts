import { Ajv, type ValidateFunction } from 'ajv';
import { inputError } from '#contract/errors.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { lazy } from '#core/values/lazy.ts';
import { DOCUMENTED_KEYWORD } from '#serve/http/documented.ts';
import { explainProblems, MESSAGE_KEYWORD } from '#serve/http/explain-problems.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { predictRequest } from '../predict/predict.ts';
import type { PredictBody } from '../served/served-type.ts';

/** Returns a function that validates a request with the schema of `/predict`. It throws the messages of this route. */
export function bodyChecker({
  manifest,
  limits,
}: ServingEngine): (body: object) => asserts body is PredictBody {
  const validate = lazy((): ValidateFunction => {
    const ajv = new Ajv({ strict: true, verbose: true, ...TRUSTED_SCHEMAS });
    ajv.addKeyword(MESSAGE_KEYWORD).addKeyword(DOCUMENTED_KEYWORD);
    return ajv.compile(predictRequest(manifest, limits));
  });
  return (body) => {
    const check = validate();
    if (!check(body)) throw inputError(explainProblems(check.errors ?? []));
  };
}
