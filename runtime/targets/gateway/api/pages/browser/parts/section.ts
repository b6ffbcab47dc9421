import type { Section } from '#serve/http/pages/browser/start-app.ts';

/** A page, and the roles that can see it. */
export type GatewaySection = Section & { readers?: boolean; managers?: boolean; admins?: boolean };
