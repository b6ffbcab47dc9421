import { suggest } from '#core/text/suggest.ts';
import { type Finding, ok, problem } from '#serve/cli/doctor/finding.ts';
import type { ClassifierProfile, GuardrailProfile } from '../../requests/guardrails/guardrail.ts';
import type { CheckedProvider } from './check-provider.ts';

/** Checks that the encoder of each profile has the labels of the profile: a label that it lacks would never be found. */
export const checkGuardrails = (
  profiles: readonly GuardrailProfile[],
  providers: readonly CheckedProvider[],
): Finding[] =>
  profiles.flatMap((profile) => {
    if (!('labels' in profile)) return [];
    const encoder = providers.find(({ name }) => name === profile.encoder);
    // A problem of the encoder is already reported.
    if (!encoder || encoder.finding.state !== 'ok') return [];
    return checkProfile(profile, encoder.labels);
  });

function checkProfile(
  { name, encoder, labels }: ClassifierProfile,
  known: readonly string[] | undefined,
): Finding[] {
  const what = `guardrail ${name}`;
  if (!known) {
    const message = `the encoder ${encoder} does not classify texts`;
    return [problem(what, message, 'Use an encoder of type sequence_classification.')];
  }
  const unknown = labels.filter((label) => !known.includes(label));
  if (unknown.length === 0) return [ok(what, `the encoder ${encoder} has the labels ${labels.join(', ')}`)];
  return unknown.map((label) => {
    const suggestion = suggest(label, known);
    const hint = suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`;
    return problem(
      what,
      `the encoder ${encoder} has no label ${JSON.stringify(label)}`,
      `Its labels are ${known.join(', ')}.${hint}`,
    );
  });
}
