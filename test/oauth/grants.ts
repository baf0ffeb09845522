import { createHash, randomBytes } from 'node:crypto'

type Code = { redirectUri: string; challenge: string | null; nonce: string | null; used: boolean }
/** The tokens that came of one code, one after the other. */
type Family = { refresh: string; access: string; revoked: boolean }

/** The token endpoint's answer, in the words of RFC 6749. */
export type TokenAnswer = { status: number; body: Record<string, unknown> }

export const refusal = (error: string): TokenAnswer => ({
  status: 400,
  body: { error, error_description: 'what the provider says of CANARY' },
})

/**
 * Codes and tokens as an authorization server keeps them: a code works once, with the redirect URI and the verifier it
 * was made for; a refresh token works once, and using an old one ends all that came of it (RFC 9700, section 4.14.2).
 */
export const createGrants = () => {
  const codes = new Map<string, Code>()
  const families = new Map<string, Family>()
  /**
   * Seconds; undefined for tokens that do not expire, and that no refresh token comes with. `forgives` lets an old
   * refresh token be used again, as providers with a grace period do.
   */
  const life: { expiresIn: number | undefined; forgives: boolean } = { expiresIn: 3_600, forgives: false }

  const issue = (family: Family = { refresh: '', access: '', revoked: false }): TokenAnswer => {
    family.access = `CANARY-access-${randomBytes(16).toString('hex')}`
    family.refresh = `CANARY-refresh-${randomBytes(16).toString('hex')}`
    families.set(family.refresh, family)
    families.set(family.access, family)
    const { expiresIn } = life
    const more = expiresIn === undefined ? {} : { expires_in: expiresIn, refresh_token: family.refresh }
    return { status: 200, body: { access_token: family.access, token_type: 'bearer', ...more } }
  }

  const redeem = (form: URLSearchParams): TokenAnswer & { nonce?: string | null } => {
    const code = codes.get(form.get('code') ?? '')
    if (code === undefined || code.used) return refusal('invalid_grant')
    code.used = true
    const verifier = form.get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (code.redirectUri !== form.get('redirect_uri') || code.challenge !== challenge)
      return refusal('invalid_grant')
    return { ...issue(), nonce: code.nonce }
  }

  const renew = (form: URLSearchParams): TokenAnswer => {
    const token = form.get('refresh_token') ?? ''
    const family = families.get(token)
    if (family === undefined || family.revoked) return refusal('invalid_grant')
    family.revoked = family.refresh !== token && !life.forgives
    return family.revoked ? refusal('invalid_grant') : issue(family)
  }

  return {
    life,
    redeem,
    renew,
    code: (made: Omit<Code, 'used'>) => {
      const code = `CANARY-code-${randomBytes(16).toString('hex')}`
      codes.set(code, { ...made, used: false })
      return code
    },
    works: (access: string): boolean => {
      const family = families.get(access)
      return family?.access === access && !family.revoked
    },
    revoke: (access: string) => {
      const family = families.get(access)
      if (family) family.revoked = true
    },
    revokeAll: () => {
      for (const family of families.values()) family.revoked = true
    },
  }
}
