import type { OpenGateway } from './open-gateway.ts';

/** The cookie with this name in a response. */
export const cookieIn = (headers: Headers, name: string): string => {
  const set = headers.getSetCookie().find((one) => one.startsWith(`${name}=`)) ?? '';
  return set.split(';')[0] ?? '';
};

/** Goes to the provider and returns, like a browser. */
export async function comeBack({ request }: OpenGateway, query = '') {
  const begun = await request(`/auth/sign-in${query}`);
  const answer = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return { path: back.pathname + back.search, cookie: cookieIn(begun.headers, 'gateway_sign_in') };
}

/** Signs in like a browser. */
export async function signIn(gateway: OpenGateway, query = '') {
  const { path, cookie } = await comeBack(gateway, query);
  const answer = await gateway.request(path, { headers: { cookie } });
  return { answer, session: { cookie: cookieIn(answer.headers, 'gateway_session') } };
}
