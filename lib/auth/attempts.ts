import { hash } from 'node:crypto'
import { Problem, refuseEarly } from '../core/errors.ts'
import { addressNetwork } from '../core/network.ts'
import { ANONYMOUS, type Principal } from '../core/principal.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Attempt, CountAttempt } from './schema.ts'

/** What is counted, and how often it may happen in a minute: per address and, where one is given, per account. */
const limits: Readonly<Record<Attempt, { calls: number; of: string }>> = {
  login: { calls: 10, of: 'sign-in attempts' },
  signup: { calls: 5, of: 'sign-up attempts' },
  verifyAccessKey: { calls: 10, of: 'attempts to enter the access key' },
  changePassword: { calls: 10, of: 'attempts to change the password' },
  resetPassword: { calls: 10, of: 'attempts to enter a reset code' },
  phoneLink: { calls: 10, of: 'attempts to open a sign-in link' },
}

export const createAttempts =
  ({ limiter }: { limiter: Limiter }): CountAttempt =>
  async (name, { address, account }) => {
    const keys = [
      ...(address === undefined ? [] : [`address:${addressNetwork(address)}`]),
      // A user may have typed a password as the account, so only its hash is stored.
      ...(account === undefined ? [] : [`account:${hash('sha256', account)}`]),
    ]
    // The address is checked first: a refused address must not use up the attempts of an account.
    const { calls, of } = limits[name]
    const waitMs = await limiter.takeAll({ name, calls, windowMs: 60_000 }, keys)
    refuseEarly(waitMs, `Too many ${of}. Try again in a minute.`)
  }

type Needs = { audit: (principal: Principal, action: string, details: object) => Promise<void> }

type Try = {
  with: 'password' | 'access-key' | 'current-password' | 'reset-code' | 'phone-link'
  address: string
  email?: string
}

/** Records attempts with wrong credentials. Attempts over the rate limit are not recorded. */
export const createAuditRefusals =
  ({ audit }: Needs) =>
  async <T>({ email, ...details }: Try, attempt: Promise<T>, principal = ANONYMOUS): Promise<T> => {
    try {
      return await attempt
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'unauthenticated')
        await audit(principal, 'auth.refused', { ...details, ...(email && { email: hidden(email) }) })
      throw thrown
    }
  }

const ADDRESS = /^([^\s@])[^\s@]*@((?:[a-z\d-]+\.)+[a-z]{2,})$/i

/** Recognisable to a reader who knows the address; shows nothing of any other text, which may be a password. */
const hidden = (email: string): string => {
  const [, first, domain] = ADDRESS.exec(email.trim()) ?? []
  return first === undefined ? '***' : `${first}***@${domain}`
}
