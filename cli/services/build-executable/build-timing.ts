import { createTiming, type Timing } from '#platform/step-timing.ts';
import { BUILD_STEPS, type BuildStep } from '../../packaging/build-steps.ts';

/** Collects the times of a build's steps, for `--timing`. */
export const createBuildTiming = (): Timing<BuildStep> => createTiming<BuildStep>(BUILD_STEPS);
