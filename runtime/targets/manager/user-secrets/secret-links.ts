import { randomBytes } from 'node:crypto';
import { inputError } from '#contract/errors.ts';
import { type Clock, systemClock } from '#platform/clock.ts';

/** A request to a user to set the secrets that a server requires. */
export interface SecretLink {
  readonly server: string;
  readonly user: string;
  readonly secrets: readonly string[];
}

/**
 * Links that MCP clients receive when a secret is missing. A link is for one user, who still has to identify at the
 * page: without that, a user could send a link to another person, whose secrets would then be stored for the sender.
 */
export interface SecretLinks {
  /** Returns the token of the user's link, which is reused while it is valid. */
  create(link: SecretLink): string;
  /** Returns the link of this user. Throws an InputError if it is unknown, used, expired or of another user. */
  read(token: string, user: string): SecretLink;
  /** Makes the link unusable. */
  use(token: string): void;
  /** Removes all links of a user. */
  removeAll(user: string): void;
}

const TOKEN_BYTES = 18;
const VALID_MS = 10 * 60_000;
/** A link that expires sooner is replaced by a new one. */
const MIN_LEFT_MS = 5 * 60_000;
/** Maximum number of links. When it is exceeded, the oldest one is removed. */
const MAX_LINKS = 1000;
/** Maximum number of links of one user, so that a user cannot remove the links of others. */
const MAX_OWN_LINKS = 20;

export function createSecretLinks(clock: Pick<Clock, 'now'> = systemClock): SecretLinks {
  const links = new Map<string, SecretLink & { readonly until: number }>();
  const removeOldest = (isMeant: (link: SecretLink) => boolean): void => {
    for (const [token, link] of links) {
      if (!isMeant(link)) continue;
      links.delete(token);
      return;
    }
  };
  return {
    create(link) {
      const now = clock.now();
      let own = 0;
      for (const [token, known] of links) {
        if (known.until <= now) links.delete(token);
        else if (known.user === link.user) {
          own += 1;
          const isSame = known.server === link.server && known.secrets.join() === link.secrets.join();
          if (isSame && known.until - now >= MIN_LEFT_MS) return token;
        }
      }
      if (own >= MAX_OWN_LINKS) removeOldest(({ user }) => user === link.user);
      if (links.size >= MAX_LINKS) removeOldest(() => true);
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      links.set(token, { ...link, until: now + VALID_MS });
      return token;
    },
    read(token, user) {
      const link = links.get(token);
      if (link && link.until > clock.now() && link.user === user) return link;
      // The same error in all cases, so that it does not reveal the links of others.
      throw inputError(
        'This link is not valid for you: it is unknown, used, expired, or of another user. Repeat the call in your MCP client to get another link.',
      );
    },
    use: (token) => void links.delete(token),
    removeAll(user) {
      for (const [token, link] of links) if (link.user === user) links.delete(token);
    },
  };
}
