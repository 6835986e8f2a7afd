/** Access tokens nobody should accept, and the parts of real ones. */
import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { stack } from './stack.ts';

type Claims = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Header and claims of a token, unverified. */
export function decode(token: string): { header: Claims; claims: Claims } {
  const [header = '', claims = ''] = token.split('.');
  const part = (text: string) =>
    JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Claims;
  return { header: part(header), claims: part(claims) };
}

/** A token signed with a shared secret. */
export function hmacToken(claims: Claims, secret: string | Buffer, header: Claims = {}): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** A token signed with a key pair made up on the spot. */
export function foreignToken(claims: Claims, header: Claims): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const text = `${encode({ alg: 'ES256', typ: 'JWT', ...header })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `${text}.${signature.toString('base64url')}`;
}

export interface BadToken {
  name: string;
  token: string;
}

/** Tokens that look like the given one but must open nothing. */
export async function badTokens(good: string): Promise<BadToken[]> {
  const { header, claims } = decode(good);
  const [head = '', body = '', signature = ''] = good.split('.');
  const answer = await fetch(`${stack().api}/auth/v1/.well-known/jwks.json`);
  const jwks = await answer.text();
  const key = (JSON.parse(jwks) as { keys: Claims[] }).keys[0] ?? {};
  const forSomeoneElse = encode({ ...claims, sub: randomUUID(), role: 'service_role' });
  const past = { ...claims, iat: 1_000_000_000, exp: 1_000_003_600 };
  return [
    { name: 'no token at all', token: 'x' },
    { name: 'two segments', token: `${head}.${body}` },
    { name: 'four segments', token: `${good}.${signature}` },
    { name: 'a cut signature', token: `${head}.${body}.${signature.slice(0, 40)}` },
    { name: 'an empty signature', token: `${head}.${body}.` },
    { name: 'other claims', token: `${head}.${forSomeoneElse}.${signature}` },
    { name: 'alg none', token: `${encode({ alg: 'none', typ: 'JWT' })}.${body}.` },
    {
      name: 'alg None with the signature',
      token: `${encode({ alg: 'None' })}.${body}.${signature}`,
    },
    { name: 'alg none with our kid', token: `${encode({ ...header, alg: 'none' })}.${body}.` },
    {
      name: 'HS256 with the public key’s JWK',
      token: hmacToken(claims, JSON.stringify(key), header),
    },
    { name: 'HS256 with the public key’s x', token: hmacToken(claims, String(key['x']), header) },
    {
      name: 'HS256 with the public key’s bytes',
      token: hmacToken(claims, Buffer.from(String(key['x']), 'base64url'), header),
    },
    { name: 'HS256 with the JWKS', token: hmacToken(claims, jwks) },
    {
      name: 'HS256 with our kid and our secret',
      token: hmacToken(claims, stack().jwtSecret, { ...header, alg: 'HS256' }),
    },
    { name: 'HS256 with an empty secret', token: hmacToken(claims, '') },
    { name: 'HS256 with another secret', token: hmacToken(claims, 'not the secret of this stack') },
    { name: 'another key under our kid', token: foreignToken(claims, header) },
    {
      name: 'another key under an unknown kid',
      token: foreignToken(claims, { kid: randomUUID() }),
    },
    {
      name: 'another key that the header brings',
      token: foreignToken(claims, { jwk: key, kid: null }),
    },
    { name: 'a kid with a path', token: foreignToken(claims, { kid: '../../dev/null' }) },
    { name: 'expired', token: hmacToken(past, stack().jwtSecret) },
    {
      name: 'not valid yet',
      token: hmacToken({ ...claims, nbf: 4_000_000_000 }, stack().jwtSecret),
    },
    {
      name: 'claims that are no object',
      token: hmacToken([] as unknown as Claims, stack().jwtSecret),
    },
    {
      name: 'exp that is no number',
      token: hmacToken({ ...claims, exp: 'soon' }, stack().jwtSecret),
    },
    {
      name: 'a header that is no JSON',
      token: `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
    },
  ];
}
