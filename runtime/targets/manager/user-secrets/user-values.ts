import type { Secret } from '#core/text/redactions.ts';
import type { ServerUser } from '../access/caller.ts';
import type { ServerSpec } from '../config/spec.ts';
import {
  type FilledHeaders,
  type FilledLaunch,
  fillHeaders,
  fillLaunch,
  type FillParts,
} from './fill-launch.ts';
import type { UserSecrets } from './user-secrets.ts';

/** Replaces references to users' values in the configuration of a server. */
export interface UserValues {
  /** A text that changes whenever the user's secrets change. */
  stateOf(user: string): string;
  fill(spec: Pick<ServerSpec, 'name' | 'launch'>, user: ServerUser): FilledLaunch;
  /** Returns the headers of a user's call on a connection that all users share. */
  callHeaders(spec: Pick<ServerSpec, 'name' | 'launch'>, user: ServerUser): FilledHeaders;
}

/** Creates the functions with which the supervisor fills in the values of users. */
export function createUserValues(
  secrets: Pick<UserSecrets, 'stateOf' | 'value'>,
  onSecret: (secrets: readonly Secret[]) => void,
): UserValues {
  const parts: FillParts = { secrets, onSecret };
  return {
    stateOf: (user) => secrets.stateOf(user),
    fill: (spec, user) => fillLaunch(spec, user, parts),
    callHeaders({ name, launch }, user) {
      const headers = launch.kind === 'remote' ? launch.callHeaders : undefined;
      return headers ? fillHeaders(name, headers, user, parts) : {};
    },
  };
}
