import { hash } from 'node:crypto'
import { Problem, refuseEarly } from '../core/errors.ts'
import { addressNetwork } from '../core/network.ts'
import { ANONYMOUS, type Principal } from '../core/principal.ts'
import type { Limit, Limiter } from '../limits/limiter.ts'
import type { Attempt, CountAttempt } from './schema.ts'

const MINUTE = 60_000

/** The limits of the contract; each counts per address and, where an account is given, per account. */
const limits: Readonly<Record<Attempt, Limit>> = {
  login: { name: 'login', calls: 10, windowMs: MINUTE },
  signup: { name: 'signup', calls: 5, windowMs: MINUTE },
  verifyAccessKey: { name: 'verifyAccessKey', calls: 10, windowMs: MINUTE },
  changePassword: { name: 'changePassword', calls: 10, windowMs: MINUTE },
  resetPassword: { name: 'resetPassword', calls: 10, windowMs: MINUTE },
}

const texts: Readonly<Record<Attempt, string>> = {
  login: 'Too many login attempts. Please try again in a minute.',
  signup: 'Too many signup attempts. Please try again in a minute.',
  verifyAccessKey: 'Too many attempts with the access key. Please try again in a minute.',
  changePassword: 'Too many attempts to change the password. Please try again in a minute.',
  resetPassword: 'Too many attempts with a reset code. Please try again in a minute.',
}

export const createAttempts =
  ({ limiter }: { limiter: Limiter }): CountAttempt =>
  async (of, { address, account }) => {
    const keys = [
      ...(address === undefined ? [] : [`address:${addressNetwork(address)}`]),
      // A user may have typed a password as the account, so only its hash is stored.
      ...(account === undefined ? [] : [`account:${hash('sha256', account)}`]),
    ]
    // The address is checked first: a refused address must not use up the attempts of an account.
    refuseEarly(await limiter.takeAll(limits[of], keys), texts[of])
  }

type Needs = { audit: (principal: Principal, action: string, details: object) => Promise<void> }

type Try = {
  with: 'password' | 'access-key' | 'current-password' | 'reset-code'
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
