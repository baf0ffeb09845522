import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

type Key = { kid: string; privateKey: KeyObject; jwk: object }

/** One pair of keys takes a while to make, so the first of every issuer is the same. */
let firstKey: Key | undefined

const createKey = (kid: string): Key => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** ID tokens of an OpenID Connect issuer, by RS256. Tests decide which claims are wrong. */
export const createIssuer = (issuer: () => string, clientId: () => string) => {
  firstKey ??= createKey('key-1')
  let key = firstKey
  const published = [key]
  let wrong: Readonly<Record<string, unknown>> = {}
  let algorithm = 'RS256'

  const idToken = (claims: object, nonce: string | null | undefined): string => {
    const now = Math.floor(Date.now() / 1_000)
    const all = {
      iss: issuer(),
      aud: clientId(),
      iat: now,
      exp: now + 300,
      ...(nonce ? { nonce } : {}),
      ...claims,
      ...wrong,
    }
    const text = `${part({ alg: algorithm, kid: key.kid, typ: 'JWT' })}.${part(all)}`
    if (algorithm === 'none') return `${text}.`
    return `${text}.${sign('sha256', Buffer.from(text), key.privateKey).toString('base64url')}`
  }

  return {
    idToken,
    keys: () => ({ keys: published.map(({ jwk }) => jwk) }),
    discovery: () => ({
      issuer: issuer(),
      authorization_endpoint: `${issuer()}/authorize`,
      token_endpoint: `${issuer()}/token`,
      userinfo_endpoint: `${issuer()}/userinfo`,
      jwks_uri: `${issuer()}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    /** From now on ID tokens have these claims, whatever they should have. */
    lie: (claims: Readonly<Record<string, unknown>>) => {
      wrong = claims
    },
    signWith: (name: string) => {
      algorithm = name
    },
    /** Signs with a new key; published unless told otherwise. */
    rotate: ({ publish = true } = {}) => {
      key = createKey(`key-${published.length + 1}`)
      if (publish) published.splice(0, published.length, key)
    },
  }
}
