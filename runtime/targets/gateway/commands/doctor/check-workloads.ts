import { messageOf } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { type Finding, ok, problemFinding } from '#serve/cli/doctor/finding.ts';
import type { WorkloadIssuer } from '../../accounts/workloads/workload-config.ts';
import { createWorkloadTokens } from '../../accounts/workloads/workload-tokens.ts';

/** Checks that the keys of each workload issuer can be read. */
export async function checkWorkloads(issuers: readonly WorkloadIssuer[]): Promise<Finding[]> {
  if (issuers.length === 0) return [];
  const tokens = createWorkloadTokens(issuers, systemClock);
  try {
    return await Promise.all(
      issuers.map(async (issuer) => {
        const subject = `workload ${issuer.name}`;
        try {
          const keys = await tokens.check(issuer);
          if (keys > 0)
            return ok(subject, `${issuer.issuer} is available, ${keys} key${keys === 1 ? '' : 's'}`);
          return problemFinding(subject, `${issuer.issuer} has no keys for verifying tokens`, REMEDY);
        } catch (error) {
          return problemFinding(subject, messageOf(error).replace(/\.$/, ''), REMEDY);
        }
      }),
    );
  } finally {
    await tokens.close();
  }
}

const REMEDY = 'Check `issuer`, `jwks_url` or `jwks_file` in `workloads`, and the network.';
